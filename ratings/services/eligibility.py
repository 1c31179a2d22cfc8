"""Who may be rated in a contest with rating limits: decided by what was shown of everybody just before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber

from contests.models import Standing
from ratings.models import Rating, RatingChange
from ratings.shown import Shown, shown
from ratings.systems import DEFAULT_SYSTEM, get_system

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet

    from contests.models import Contest


def ineligible_players(contest: Contest) -> set[int]:
    """
    Return the ids of the ranked players whose shown rating just before the contest lies outside its limits.

    What counts is the series' published run: the rating after the last contest that comes before this one in the order
    of contests. Results that wait to be rated do not count, and who has no rating yet counts as a newcomer is shown. A
    team is outside if one of its members is. Both limits are allowed themselves. Takes at most five queries.
    """
    lower, upper = contest.rating_lower_limit, contest.rating_upper_limit
    if lower is None and upper is None:
        return set()
    ratings = shown_before(contest)
    outside = {
        player
        for player, rating in ratings.items()
        if (lower is not None and rating < lower) or (upper is not None and rating > upper)
    }
    return outside if not contest.has_teams else _with_team_mates(contest, outside)


def shown_before(contest: Contest) -> dict[int, int]:
    """Return the shown rating of each ranked player just before the contest, by player id."""
    players = list(Standing.objects.ranked().filter(contest=contest).values_list("player_id", flat=True))
    view = shown(contest.series)
    beliefs = {player: (mu, sigma) for player, mu, sigma in _beliefs_before(contest)} if view.run else {}
    newcomer = _newcomer(view)
    pairs = np.array([beliefs.get(player, newcomer) for player in players], dtype=np.float64).reshape(-1, 2)
    points = view.mapping.show(view.score(pairs[:, 0], pairs[:, 1]))
    return dict(zip(players, points.tolist(), strict=True))


def _beliefs_before(contest: Contest) -> Iterable[tuple[int, float, float]]:
    """Return player id, mean and deviation of those of the field who were rated before the contest."""
    changes = RatingChange.objects.current().filter(series=contest.series_id)
    if not changes.filter(_before(contest, later=True)).exists():
        # Nothing after it has been rated: the current ratings are those just before it.
        current = Rating.objects.filter(series=contest.series_id, player__in=_field(contest))
        return current.values_list("player_id", "mu", "sigma")
    newest_first = [F("contest__ends_at").desc(), F("contest__sequence").desc(), F("contest_id").desc()]
    earlier = changes.filter(_before(contest), player__in=_field(contest))
    numbered = earlier.annotate(nth=Window(RowNumber(), partition_by="player_id", order_by=newest_first))
    return numbered.filter(nth=1).values_list("player_id", "mu", "sigma")


def _before(contest: Contest, *, later: bool = False) -> Q:
    """Return the changes of contests that come before this one in the total order; with `later`, from this one on."""
    before = (
        Q(contest__ends_at__lt=contest.ends_at)
        | Q(contest__ends_at=contest.ends_at, contest__sequence__lt=contest.sequence)
        | Q(contest__ends_at=contest.ends_at, contest__sequence=contest.sequence, contest__lt=contest.pk)
    )
    return ~before if later else before


def _field(contest: Contest) -> QuerySet[Standing, int]:
    return Standing.objects.ranked().filter(contest=contest).values_list("player_id", flat=True)


def _newcomer(view: Shown) -> tuple[float, float]:
    scheme = view.scheme
    system = get_system(scheme.system, **scheme.parameters) if scheme is not None else get_system(DEFAULT_SYSTEM)
    beliefs = system.new_beliefs(1)
    return float(beliefs.mu[0]), float(beliefs.sigma[0])


def _with_team_mates(contest: Contest, outside: set[int]) -> set[int]:
    rows = list(Standing.objects.ranked().filter(contest=contest).values_list("player_id", "team"))
    teams = {team for player, team in rows if team and player in outside}
    return outside | {player for player, team in rows if team in teams}
