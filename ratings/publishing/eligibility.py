"""Who can be rated in a contest: players within its rating limits, and teams only by a system that rates teams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber

from contests.bulk import chunks
from contests.errors import ContestError
from contests.models import Contest, Standing
from ratings.models import Rating, RatingChange
from ratings.queries.snapshot import SeriesSnapshot, snapshot_of
from ratings.systems import DEFAULT_SYSTEM, get_system

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ratings.systems import RatingSystem


def ineligible_players(contest: Contest) -> set[int]:
    """Return the ids of the ranked players of a stored contest who are outside its limits, as `outside_limits` does."""
    if contest.rating_lower_limit is None and contest.rating_upper_limit is None:
        return set()
    return outside_limits(
        contest, list(Standing.objects.ranked().filter(contest=contest).values_list("player_id", "team"))
    )


def outside_limits(contest: Contest, field: Sequence[tuple[int, str]]) -> set[int]:
    """
    Return the ids of those in the field whose shown rating just before the contest lies outside its limits.

    What counts is the series' published run: the rating after the last contest that comes before this one in the order
    of contests. Results that wait to be rated do not count, and who has no rating yet counts as a newcomer is shown. A
    team is outside if one of its members is. Both limits are allowed themselves. Takes at most five queries
    for 20,000 players.

    field
        (player id, team) of each; ids of nobody are newcomers, and an empty team is none.
    """
    lower, upper = contest.rating_lower_limit, contest.rating_upper_limit
    if lower is None and upper is None:
        return set()
    ratings = shown_before(contest, [player for player, _ in field])
    outside = {
        player
        for player, rating in ratings.items()
        if (lower is not None and rating < lower) or (upper is not None and rating > upper)
    }
    teams = {team for player, team in field if team and player in outside}
    return outside | {player for player, team in field if team in teams}


def shown_before(contest: Contest, players: Sequence[int] | None = None) -> dict[int, int]:
    """Return the shown rating of each player (None: of those ranked in it) just before the contest, by player id."""
    if players is None:
        players = list(Standing.objects.ranked().filter(contest=contest).values_list("player_id", flat=True))
    snapshot = snapshot_of(contest.series)
    beliefs = {player: (mu, sigma) for player, mu, sigma in _beliefs_before(contest, players)} if snapshot.run else {}
    newcomer = _newcomer(snapshot)
    pairs = np.array([beliefs.get(player, newcomer) for player in players], dtype=np.float64).reshape(-1, 2)
    points = snapshot.mapping.show(snapshot.score(pairs[:, 0], pairs[:, 1]))
    return dict(zip(players, points.tolist(), strict=True))


def _beliefs_before(contest: Contest, players: Sequence[int]) -> Iterator[tuple[int, float, float]]:
    """Yield player id, mean and deviation of those of the players who were rated before the contest."""
    changes = RatingChange.objects.current().filter(series=contest.series_id)
    # If nothing after it has been rated, the current ratings are those just before it.
    is_newest = not changes.filter(_before(contest, later=True)).exists()
    newest_first = [F("contest__ends_at").desc(), F("contest__sequence").desc(), F("contest_id").desc()]
    for part in chunks(players, 20_000):
        if is_newest:
            current = Rating.objects.filter(series=contest.series_id, player__in=part)
            yield from current.values_list("player_id", "mu", "sigma")
            continue
        earlier = changes.filter(_before(contest), player__in=part)
        numbered = earlier.annotate(nth=Window(RowNumber(), partition_by="player_id", order_by=newest_first))
        yield from numbered.filter(nth=1).values_list("player_id", "mu", "sigma")


def _before(contest: Contest, *, later: bool = False) -> Q:
    """Return the changes of contests that come before this one in the total order; with `later`, from this one on."""
    before = (
        Q(contest__ends_at__lt=contest.ends_at)
        | Q(contest__ends_at=contest.ends_at, contest__sequence__lt=contest.sequence)
        | Q(contest__ends_at=contest.ends_at, contest__sequence=contest.sequence, contest__lt=contest.pk)
    )
    return ~before if later else before


def _newcomer(snapshot: SeriesSnapshot) -> tuple[float, float]:
    scheme = snapshot.scheme
    system = get_system(scheme.system, **scheme.parameters) if scheme is not None else get_system(DEFAULT_SYSTEM)
    beliefs = system.new_beliefs(1)
    return float(beliefs.mu[0]), float(beliefs.sigma[0])


def refuse_teams(system: RatingSystem, contest: Contest) -> None:
    """Raise ContestError if the contest, which has teams, is nothing that the system can rate."""
    if not system.rates_teams:
        raise ContestError(
            f"“{contest.name}” is a contest of teams, and {system.name} rates single players. "
            "Give one row per player without a team, mark the contest as unrated, or choose a system that rates teams "
            "(trueskill, elo or kreimeier)."
        )


def refuse_rated_teams(system: RatingSystem, series_id: int) -> None:
    """Raise ContestError if a rated contest of the series has teams that the system cannot rate."""
    if not system.rates_teams:
        contest = Contest.objects.rated().filter(series_id=series_id, has_teams=True).in_order().first()
        if contest is not None:
            refuse_teams(system, contest)
