"""Players whom an upload would make public: known so far only from series that not everyone may read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy

from contests.formats.base import Problem
from contests.handles import printable
from contests.models import Series, Standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contests.formats.base import ParsedContest, Report
    from contests.models import Contest

#: Players in a query; SQLite limits the number of parameters.
_PART = 5_000
_WARNING = gettext_lazy(
    "So far, this player has results in private series only. Finalizing this contest makes the player public, "
    "with name and country."
)


def warn_of_disclosure(contest: Contest, parsed: ParsedContest, players: Sequence[int | None], report: Report) -> None:
    """Add a warning for each row whose player would become public, if the contest is in a public series."""
    if not contest.series.is_public:
        return
    if not Series.objects.filter(community=contest.series.community_id, is_public=False).exists():
        return
    hidden = hidden_players(player for player in players if player is not None)
    for row, player in zip(parsed.standings, players, strict=True):
        if player in hidden:
            report.add(Problem(str(_WARNING), "warning", row=row.row, value=printable(row.handle)))


def hidden_players(player_ids: Iterable[int]) -> set[int]:
    """Return those of the players who have finalized results in private series and none in public ones."""
    hidden: set[int] = set()
    ids = list(player_ids)
    for start in range(0, len(ids), _PART):
        part = ids[start : start + _PART]
        rows = Standing.objects.filter(player__in=part, contest__finalized_at__isnull=False)
        found = rows.values_list("player", "contest__series__is_public").distinct()
        public = {player for player, is_public in found if is_public}
        hidden |= {player for player, _ in found} - public
    return hidden
