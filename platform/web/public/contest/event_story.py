"""The story of an event in up to three sentences, written from its score table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, npgettext

from web.public.contest.story import most_gained, signed, tell
from web.shared.names import first_name
from web.shared.numbers import points
from web.shared.tags import rating

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.utils.safestring import SafeString

    from contests.models import Player
    from contests.queries.brackets import Match
    from contests.queries.games import ScoreRow
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.contest.event_rows import TableRow

#: With fewer games, being unbeaten is nothing special.
LEAST_GAMES = 3


def event_story(
    snapshot: SeriesSnapshot, rows: Sequence[TableRow], final: Match | None, *, is_whole: bool, has_winner: bool
) -> list[SafeString]:
    """
    Return who won the event, who gained the most and who performed best; nothing if all share the first place.

    final
        The match that decided the event, if there is one with a winner.
    is_whole
        Whether these are all rows of the score table. Otherwise, players further down may have gained more.
    has_winner
        Whether those with the most points won the event (contests.queries.event_winners).
    """
    winners = [row for row in rows if row.score.place == 1]
    if not winners or len(winners) == len(rows):
        return []
    if final is not None and final.winner is not None and final.loser is not None:
        winners = [row for row in rows if row.score.player_id == final.winner.pk]
        champion, other = _link(snapshot, final.winner), _link(snapshot, final.loser)
        sentences = [tell(_("%(who)s won the final against %(other)s."), who=champion, other=other)]
    elif not has_winner and len(winners) == 1:
        score, first = winners[0].score, _name(snapshot, winners[0])
        sentences = [tell(_("%(who)s scored the most points, %(points)s."), who=first, points=score.shown_points)]
    else:
        sentences = [_opening(snapshot, winners)]
    rated = [(row, row.rated) for row in rows if row.rated is not None]
    settled = [pair for pair in rated if pair[1].is_settled]
    known = [pair for pair in rated if not pair[1].is_newcomer]
    best = max(settled or known, key=lambda pair: pair[1].change, default=None)
    is_beaten = best is not None and any(one.change > best[1].change for _row, one in rated)
    if is_whole and best is not None and best[1].change > 0 and (settled or not is_beaten):
        who, after = _name(snapshot, best[0]), rating(snapshot, best[1].after)
        words = most_gained(is_beaten=is_beaten)
        sentences.append(tell(words, who=who, change=signed(best[1].change), rating=after))
    played = [(row, one.performance) for row, one in rated if one.performance is not None]
    # Players who won all their games performed better than any number says.
    is_unbounded = any(one.performance is None and row.score.wins and not row.score.losses for row, one in rated)
    if is_whole and played and not is_unbounded:
        row, performance = max(played, key=lambda pair: pair[1])
        if row not in winners:
            words = _("%(who)s had the best performance, %(rating)s.")
            sentences.append(tell(words, who=_name(snapshot, row), rating=points(performance)))
    return sentences


def _opening(snapshot: SeriesSnapshot, winners: Sequence[TableRow]) -> SafeString:
    score, first = winners[0].score, _name(snapshot, winners[0])
    if len(winners) == 1:
        if score.walkovers:  # some of the points are not from games
            words = _("%(who)s won with %(points)s.")
        elif not score.losses and score.games >= LEAST_GAMES:
            words = _("%(who)s won with %(points)s from %(number)s games, without a loss.")
        else:
            words = ngettext(
                "%(who)s won with %(points)s from %(number)s game.",
                "%(who)s won with %(points)s from %(number)s games.",
                score.games,
            )
        return tell(words, who=first, points=_with_points(score), number=points(score.games))
    second, more = _name(snapshot, winners[1]), len(winners) - 2
    if not more:
        words = _("%(first)s and %(second)s shared first place with %(points)s each.")
        return tell(words, first=first, second=second, points=_with_points(score))
    words = ngettext(
        "%(first)s, %(second)s and %(number)s other shared first place.",
        "%(first)s, %(second)s and %(number)s others shared first place.",
        more,
    )
    return tell(words, first=first, second=second, number=points(more))


def _with_points(score: ScoreRow) -> str:
    """Return the points of a row after "with": "½ point", "1 point", "3½ points"."""
    words = npgettext("with", "%(points)s point", "%(points)s points", 1 if 0 < score.points <= 1 else 2)
    return words % {"points": score.shown_points}


def _name(snapshot: SeriesSnapshot, row: TableRow) -> SafeString | str:
    return "–" if row.player is None else _link(snapshot, row.player)


def _link(snapshot: SeriesSnapshot, player: Player) -> SafeString:
    address = f"{player.get_absolute_url()}?series={snapshot.series.slug}"
    return format_html('<bdi><a href="{}">{}</a></bdi>', address, first_name(player))
