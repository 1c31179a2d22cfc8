"""The contest to forecast: which field the player meets, and for two-player games, which opponent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median_low
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef

from contests.models import Contest, Player, Series, Standing
from ratings.models import Rating, RatingChange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import AnonymousUser, User

    from ratings.models import Scheme
    from ratings.queries.snapshot import SeriesSnapshot

#: The number of newest contests from which the typical field is taken, and of newest games for typical opponents.
RECENT = 12


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """
    The contest to forecast.

    like
        The contest whose field the forecast uses.
    coming
        The draft to forecast, or None for a repetition of `like`.
    is_own_field
        Whether the field is the draft's own list, which only organizers may see.
    is_typical
        Whether Podium chose `like`, because its field has the median size of the newest contests.
    opponent
        The only opponent, if `like` is a two-player game and the field is not simply its players.
    """

    like: Contest
    coming: Contest | None
    is_own_field: bool = False
    is_typical: bool = False
    opponent: Player | None = None

    def weight_in(self, scheme: Scheme) -> float:
        """Return the weight with which the contest counts."""
        return scheme.weight_of(self.coming or self.like)

    @property
    def perf_ceiling(self) -> float:
        ceiling = (self.coming or self.like).perf_ceiling
        return math.inf if ceiling is None else ceiling

    @property
    def is_game(self) -> bool:
        """Whether `like` is a two-player game."""
        return self.like.standing_count == 2 and not self.like.has_teams and not self.is_own_field


def terms_of(snapshot: SeriesSnapshot, contest: Contest | None, user: User | AnonymousUser) -> Terms | None:
    """
    Return the requested contest, or a repetition of a typical one; None if no contest is rated.

    A draft gets the field of a typical contest if it has no list, or if the visitor may not see its list.
    """
    changes = RatingChange.objects.current().filter(series=snapshot.series)
    if contest is not None and contest.is_draft:
        listed = Standing.objects.ranked().filter(contest=contest)
        organizes = Series.objects.organized_by(user).filter(pk=snapshot.series.pk).exists()
        if organizes and len(listed.values_list("pk")[:2]) == 2:
            return Terms(contest, contest, is_own_field=True)
    elif contest is not None and changes.filter(contest=contest).exists():
        return Terms(contest, None)
    rated = (
        Contest.objects.rated().filter(series=snapshot.series).filter(Exists(changes.filter(contest=OuterRef("pk"))))
    )
    newest = list(rated.newest_first()[:RECENT])
    if not newest:
        return None
    return Terms(typical_of(newest), contest if contest is not None and contest.is_draft else None, is_typical=True)


def typical_of(newest: Sequence[Contest]) -> Contest:
    """Return the contest with the median number of participants, the first of them if several have it."""
    size = median_low(contest.standing_count for contest in newest)
    return next(contest for contest in newest if contest.standing_count == size)


def opponent_of(snapshot: SeriesSnapshot, terms: Terms, player: Player, rival: Player | None) -> Player | None:
    """
    Return the opponent in a two-player game; None to use the field of the contest as it is.

    That is the rival if there is one, the player's opponent in a requested game, or the player whose rating is the
    median among the player's newest opponents. A newcomer meets one of the players of the newest game.
    """
    if not terms.is_game:
        return None
    if rival is not None and rival != player:
        return rival
    changes = RatingChange.objects.current().filter(series=snapshot.series)
    if not terms.is_typical and changes.filter(contest=terms.like, player=player).exists():
        return None
    own = changes.filter(player=player).order_by("-number").values_list("contest_id", flat=True)
    games = list(own[:RECENT]) or [terms.like.pk]
    ids = changes.filter(contest__in=games).exclude(player=player).values_list("player_id", flat=True)
    known = Rating.objects.filter(series=snapshot.series, player__in=set(ids)).select_related("player")
    by_rating = list(known.order_by("-score", "player"))
    return by_rating[len(by_rating) // 2].player if by_rating else None
