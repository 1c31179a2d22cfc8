"""Games that players report: who may report, confirm, dispute or withdraw, and how a report becomes a game."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from contests.errors import ContestError
from contests.models import OPEN_STATES, Contest, GameReport, Player, PlayerClaim, ReportState, Series
from contests.queries.visibility import visible_players, visible_series
from contests.services.audit import record
from contests.services.events import GameEntry, add_game
from contests.services.standings import PlayerRegister
from contests.services.transactions import lock_players_shared, retried

if TYPE_CHECKING:
    from django.contrib.auth.models import User

#: How long ago a game may have been played, and how many open reports a pair of players can have.
OLDEST = timedelta(days=30)
MOST_OF_PAIR = 5
MAX_SCORE = 10_000
LONGEST_NOTE = 300
_NOT_NOW = _("This game can no longer be confirmed or disputed.")
_CLOSED = {
    ReportState.CONFIRMED: _("This game is already confirmed."),
    ReportState.ACCEPTED: _("An organizer has already accepted this game."),
    ReportState.REJECTED: _("An organizer has rejected this game."),
    ReportState.WITHDRAWN: _("The player who reported this game has withdrawn it."),
    ReportState.EXPIRED: _("No one confirmed this game in time. Report it again."),
}


class AlreadyThere(ContestError):
    """The two players already have a game or a report on that day: the player has to say if this is another one."""


@dataclass(frozen=True, slots=True)
class ReportedGame:
    """
    A game as one of its players describes it.

    outcome
        1 if the player who reports has won, 0 for a draw, -1 after a loss.
    scores
        Own score and that of the opponent; None if the player gave none.
    is_another
        Whether it is a further game, besides those already known of the same players and day.
    """

    opponent_id: int
    outcome: int
    day: date
    scores: tuple[float, float] | None = None
    is_another: bool = False


@retried
@transaction.atomic
def report_game(series_id: int, *, said: ReportedGame, actor: User) -> tuple[GameReport, bool]:
    """
    Report a game of the actor's player; return the report, and whether it is new and waits for someone.

    The same report again changes nothing. If the opponent has reported the same game, this confirms it. ContestError if
    the actor may not report, the game is not possible, or a limit is reached; AlreadyThere if it may be known already.
    """
    lock_players_shared()
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    player = player_who_reports(series, actor)
    opponent = _opponent(series, said.opponent_id, player, actor)
    _check(said)
    if not said.is_another:
        mirrored = _same(series, said, player=opponent, opponent=player, outcome=-said.outcome)
        if mirrored is not None and _scores_agree(mirrored, said):
            if mirrored.score is None and said.scores is not None:
                mirrored.opponent_score, mirrored.score = said.scores
            return _finish(mirrored, ReportState.CONFIRMED, actor), False
        own = _same(series, said, player=player, opponent=opponent, outcome=said.outcome)
        if own is not None:
            return own, False
        _refuse_known(series, said, player, opponent)
    _check_limits(series, player, opponent, actor)
    now = timezone.now()
    can_confirm = PlayerClaim.objects.filter(player=opponent, user__is_active=True).exists()
    own_score, other_score = said.scores or (None, None)
    report = GameReport.objects.create(
        series=series, player=player, opponent=opponent, outcome=said.outcome, day=said.day, score=own_score,
        opponent_score=other_score, reported_by=actor, created_at=now,
        expires_at=now + timedelta(days=settings.PODIUM_REPORT_DAYS) if can_confirm else None,
    )  # fmt: skip
    _record("report", report, actor)
    return report, True


def player_who_reports(series: Series, user: User) -> Player:
    """Return the user's player in a series; ContestError if the user may not report games there."""
    if not series.takes_reports or not visible_series(user).filter(pk=series.pk).exists():
        raise ContestError(gettext("Players cannot report games in this series. Ask an organizer to add the game."))
    claim = PlayerClaim.objects.select_related("player").filter(community=series.community_id, user=user).first()
    if claim is None:
        raise ContestError(
            gettext("Your account is not linked to a player of this community. Ask an organizer for a link.")
        )
    return claim.player


@retried
@transaction.atomic
def confirm_report(report_id: int, *, actor: User) -> GameReport:
    """Confirm a game as the opponent: it becomes a game like one that an organizer adds. Confirming again changes
    nothing."""
    report = _locked(report_id)
    _require_opponent(report, actor)
    if report.state == ReportState.CONFIRMED:
        return report
    _require_open(report, ReportState.WAITING)
    return _finish(report, ReportState.CONFIRMED, actor)


@transaction.atomic
def dispute_report(report_id: int, *, note: str = "", actor: User) -> GameReport:
    """Dispute a game as the opponent, so that an organizer decides. Disputing again changes nothing."""
    report = _locked(report_id)
    _require_opponent(report, actor)
    if report.state == ReportState.DISPUTED:
        return report
    _require_open(report, ReportState.WAITING)
    return _close(report, ReportState.DISPUTED, actor, note)


@transaction.atomic
def withdraw_report(report_id: int, *, actor: User) -> GameReport:
    """Withdraw a game as the player who reported it, before anyone has decided."""
    report = _locked(report_id)
    if report.reported_by_id != actor.pk:
        raise ContestError(gettext("Only the person who reported a game can withdraw it."))
    if report.state == ReportState.WITHDRAWN:
        return report
    _require_open(report, *OPEN_STATES)
    return _close(report, ReportState.WITHDRAWN, actor)


@retried
@transaction.atomic
def accept_report(report_id: int, *, actor: User | None = None) -> GameReport:
    """Accept a waiting or disputed game as an organizer: it becomes a game. The caller checks the actor's rights."""
    report = _locked(report_id)
    if report.state == ReportState.ACCEPTED:
        return report
    _require_open(report, *OPEN_STATES)
    return _finish(report, ReportState.ACCEPTED, actor)


@transaction.atomic
def reject_report(report_id: int, *, note: str = "", actor: User | None = None) -> GameReport:
    """Reject a waiting or disputed game as an organizer. The caller checks the actor's rights."""
    report = _locked(report_id)
    if report.state == ReportState.REJECTED:
        return report
    _require_open(report, *OPEN_STATES)
    return _close(report, ReportState.REJECTED, actor, note)


def expire_reports(now: datetime | None = None) -> int:
    """Mark reports that no opponent confirmed in time as expired; return their number."""
    now = now or timezone.now()
    late = GameReport.objects.filter(state=ReportState.WAITING, expires_at__lte=now).values_list("pk", flat=True)
    return sum(_expire(pk, now) for pk in list(late))


@transaction.atomic
def _expire(report_id: int, now: datetime) -> bool:
    report = _locked(report_id)
    if not report.has_expired(now):
        return False
    _close(report, ReportState.EXPIRED, None)
    return True


def move_reports(kept: Player, merged: Player, *, actor: User | None) -> None:
    """Move the reports of a player who is being merged; reject those of games between the two, who are one person."""
    both = Q(player=kept, opponent=merged) | Q(player=merged, opponent=kept)
    for report in GameReport.objects.filter(both, state__in=OPEN_STATES).select_related("series", "player", "opponent"):
        _close(report, ReportState.REJECTED, actor, "The two players are one person.")
    GameReport.objects.filter(player=merged).exclude(both).update(player=kept)
    GameReport.objects.filter(opponent=merged).exclude(both).update(opponent=kept)


def _opponent(series: Series, opponent_id: int, player: Player, actor: User) -> Player:
    known = visible_players(actor).filter(community=series.community_id)
    opponent = known.filter(pk=opponent_id).first()
    if opponent is None:
        raise ContestError(gettext("There is no such player in this community. Choose one of the suggested players."))
    if opponent == player:
        raise ContestError(gettext("You cannot play against yourself. Choose your opponent."))
    return opponent


def _check(said: ReportedGame) -> None:
    today = timezone.now().date()
    # It may already be tomorrow where the player is.
    if said.day > today + timedelta(days=1):
        raise ContestError(gettext("The day of the game is in the future. Enter today or an earlier day."))
    if said.day < today - OLDEST:
        raise ContestError(
            gettext("This game was played more than %(days)d days ago. Ask an organizer to add it.")
            % {"days": OLDEST.days}
        )
    if said.scores is not None:
        own, other = said.scores
        if not (0 <= own <= MAX_SCORE and 0 <= other <= MAX_SCORE):
            raise ContestError(gettext("Scores must be between 0 and %(most)d.") % {"most": MAX_SCORE})
        if (own > other) - (own < other) != said.outcome:
            raise ContestError(gettext("The score does not agree with the result. Correct one of them."))


def _check_limits(series: Series, player: Player, opponent: Player, actor: User) -> None:
    between = GameReport.objects.filter(series=series, player=player, opponent=opponent, state__in=OPEN_STATES)
    if between.count() >= MOST_OF_PAIR:
        raise ContestError(
            gettext(
                "%(count)d games that you reported against “%(opponent)s” are still unconfirmed. Withdraw those that "
                "are wrong, or ask your opponent to confirm them."
            )
            % {"count": MOST_OF_PAIR, "opponent": opponent.handle}
        )
    today = datetime.combine(timezone.now().date(), time.min, tzinfo=UTC)
    most = settings.PODIUM_MAX_REPORTS_A_DAY
    if GameReport.objects.filter(reported_by=actor, created_at__gte=today).count() >= most:
        raise ContestError(
            gettext(
                "You have reported %(count)d games today. Continue tomorrow (UTC), or ask an organizer to add "
                "this game."
            )
            % {"count": most}
        )


def _same(series: Series, said: ReportedGame, *, player: Player, opponent: Player, outcome: int) -> GameReport | None:
    """Return the report of this game that waits for an answer, if there is one."""
    found = GameReport.objects.select_related("series", "player", "opponent").filter(
        series=series, day=said.day, state=ReportState.WAITING, player=player, opponent=opponent, outcome=outcome
    )
    now = timezone.now()
    return next((report for report in found.order_by("pk") if not report.has_expired(now)), None)


def _scores_agree(report: GameReport, said: ReportedGame) -> bool:
    """Whether the opponent's report has the same score, or one of the two has none."""
    return said.scores is None or report.score is None or said.scores == (report.opponent_score, report.score)


def _refuse_known(series: Series, said: ReportedGame, player: Player, opponent: Player) -> None:
    """Raise AlreadyThere if the two have a game on that day that counts, or that one of them has reported."""
    pair = Q(player=player, opponent=opponent) | Q(player=opponent, opponent=player)
    waiting = GameReport.objects.filter(pair, series=series, day=said.day, state__in=OPEN_STATES).first()
    if waiting is not None:
        raise AlreadyThere(
            gettext(
                "One of you has already reported a game between you on that day, with another result. If this "
                "was another game, tick “Another game”."
            )
        )
    start = datetime.combine(said.day, time.min, tzinfo=UTC)
    games = Contest.objects.existing().filter(
        series=series, is_event=False, standing_count=2, ends_at__range=(start, start + timedelta(days=1))
    )
    if games.filter(standings__player=player).filter(standings__player=opponent).exists():
        raise AlreadyThere(
            gettext(
                "The series already has a game between you on that day. If this was another game, tick “Another game”."
            )
        )


def _locked(report_id: int) -> GameReport:
    """Return a report, locked after its series, as every change of it does."""
    lock_players_shared()
    series = GameReport.objects.filter(pk=report_id).values("series")
    if Series.objects.select_for_update(no_key=True).filter(pk__in=series).first() is None:
        raise ContestError(gettext("This report no longer exists."))
    return GameReport.objects.select_related("series", "player", "opponent").get(pk=report_id)


def _require_opponent(report: GameReport, actor: User) -> None:
    if player_who_reports(report.series, actor) != report.opponent:
        raise ContestError(gettext("Only the opponent can confirm or dispute a game."))


def _require_open(report: GameReport, *states: str) -> None:
    if report.has_expired(timezone.now()):
        raise ContestError(str(_CLOSED[ReportState.EXPIRED]))
    if report.state not in states:
        raise ContestError(str(_CLOSED.get(ReportState(report.state), _NOT_NOW)))


def _finish(report: GameReport, state: ReportState, actor: User | None) -> GameReport:
    """Add the game of a report with the service that organizers use, and close the report."""
    entry = GameEntry(
        (report.player.handle, report.opponent.handle), report.outcome, report.day,
        scores=(report.score, report.opponent_score) if report.score is not None else None,  # type: ignore[arg-type]
    )  # fmt: skip
    _require_players(entry, report)
    report.game = add_game(report.series_id, entry=entry, actor=actor)
    return _close(report, state, actor)


def _require_players(entry: GameEntry, report: GameReport) -> None:
    """Raise ContestError if a handle would be read as other players, because a plus sign joins members of a team."""
    rows = entry.parsed().standings
    register = PlayerRegister(report.series.community_id)
    ids = register.find(rows)
    if [ids.get(register.key(row.handle)) for row in rows] != [report.player_id, report.opponent_id]:
        raise ContestError(
            gettext("Podium cannot tell the two players apart by their handles. Ask an organizer to add this game.")
        )


def _close(report: GameReport, state: ReportState, actor: User | None, note: str = "") -> GameReport:
    report.state, report.note = state, note.strip()[:LONGEST_NOTE]
    report.answered_by, report.answered_at = actor, timezone.now()
    report.save(update_fields=["state", "note", "answered_by", "answered_at", "game", "score", "opponent_score"])
    _record(_VERBS[state], report, actor)
    return report


_VERBS = {
    ReportState.DISPUTED: "dispute",
    ReportState.CONFIRMED: "confirm",
    ReportState.ACCEPTED: "accept",
    ReportState.REJECTED: "reject",
    ReportState.WITHDRAWN: "withdraw",
    ReportState.EXPIRED: "expire",
}


def _record(verb: str, report: GameReport, actor: User | None) -> None:
    record(
        f"report.{verb}",
        subject=f"{report.player.handle} – {report.opponent.handle}, {report.result}, {report.day}",
        series=report.series, contest=report.game, actor=actor, reason=report.note,
    )  # fmt: skip
