"""Reported games as one of their players sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse

from contests.score_line import score_line
from web.shared.names import first_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contests.models import GameReport, Player, PlayerClaim


@dataclass(frozen=True, slots=True)
class ReportRow:
    """
    A report, from the side of one of its players.

    outcome
        Of that player: 1, 0 or -1.
    score
        That player's score first; empty without scores.
    """

    report: GameReport
    other: Player
    outcome: int
    score: str

    @property
    def other_name(self) -> str:
        return first_name(self.other, self.report.series.community.names_first)

    @property
    def game_address(self) -> str:
        """The address of the page of the game, once it counts; empty before."""
        game = self.report.game
        return reverse("contest", args=[game.pk]) if game is not None and game.is_finalized else ""


def report_rows(reports: Iterable[GameReport], claims: Sequence[PlayerClaim]) -> list[ReportRow]:
    """Return the rows of reports, each from the side of a player of these claims, or of the one who reported."""
    own = {claim.player_id for claim in claims}
    return [_row(report, is_reporter=report.opponent_id not in own) for report in reports]


def _row(report: GameReport, *, is_reporter: bool) -> ReportRow:
    scores = (report.score, report.opponent_score)
    first, second = scores if is_reporter else scores[::-1]
    return ReportRow(
        report,
        report.opponent if is_reporter else report.player,
        report.outcome if is_reporter else -report.outcome,
        score_line(f"{first:g}", f"{second:g}") if first is not None and second is not None else "",
    )
