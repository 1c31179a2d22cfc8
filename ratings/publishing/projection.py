"""
Drafts before they are finalized: the players outside their rating limits, and projected ratings.

The engine of the published ratings computes the projected ones; nothing is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from django.db.models import F, Window
from django.db.models.functions import RowNumber

from contests.bulk import chunks
from contests.errors import ContestError
from contests.models import Contest, Standing
from contests.models.ordering import is_before
from contests.ranking import close_up
from contests.services.contests import ALL_OUTSIDE
from ratings.database import consistent_read
from ratings.models import Rating, RatingChange, Run
from ratings.publishing.engine import Outcome, follows_rules, rate_fields, read_ratings_before
from ratings.publishing.schemes import refuse_unratable, scheme_of
from ratings.queries.inputs import Field, StoredRating, read_fields, terms_of
from ratings.queries.rows import newcomer_belief
from ratings.queries.snapshot import scoring_of, snapshot_of
from ratings.systems import get_system

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ratings.models import Scheme


def ineligible_players(contest: Contest) -> set[int]:
    """Return the ids of the ranked players of a stored contest who are outside its limits (see `outside_limits`)."""
    if contest.rating_lower_limit is None and contest.rating_upper_limit is None:
        return set()
    return outside_limits(
        contest, list(Standing.objects.ranked().filter(contest=contest).values_list("player_id", "team"))
    )


def outside_limits(contest: Contest, field: Sequence[tuple[int, str]]) -> set[int]:
    """
    Return the ids of players in the field whose displayed rating just before the contest is outside its limits.

    The rating is the one of the published run, after the last contest that comes before this one in the order of
    contests. Results that wait to be rated are ignored. Players without a rating count with the displayed rating of a
    newcomer. A team is outside if one of its members is. A rating equal to a limit is inside. Takes at most five
    queries for 20,000 players.

    field
        (player id, team) of each; unknown ids are newcomers, and an empty team means no team.
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
    """Return the displayed rating of each player (None: all ranked players) just before the contest, by player id."""
    if players is None:
        players = list(Standing.objects.ranked().filter(contest=contest).values_list("player_id", flat=True))
    snapshot = snapshot_of(contest.series)
    beliefs = {player: (mu, sigma) for player, mu, sigma in _beliefs_before(contest, players)} if snapshot.run else {}
    newcomer = newcomer_belief(snapshot.scheme)
    pairs = np.array([beliefs.get(player, newcomer) for player in players], dtype=np.float64).reshape(-1, 2)
    points = snapshot.mapping.show(snapshot.score(pairs[:, 0], pairs[:, 1]))
    return dict(zip(players, points.tolist(), strict=True))


def _beliefs_before(contest: Contest, players: Sequence[int]) -> Iterator[tuple[int, float, float]]:
    """Yield (player id, mean, deviation) for each of the players who was rated before the contest."""
    changes = RatingChange.objects.current().filter(series=contest.series_id)
    # If no later contest has been rated, the current ratings are those just before this contest.
    is_newest = not changes.filter(~is_before(contest, "contest__")).exists()
    newest_first = [F("contest__ends_at").desc(), F("contest__sequence").desc(), F("contest_id").desc()]
    for part in chunks(players, 20_000):
        if is_newest:
            current = Rating.objects.filter(series=contest.series_id, player__in=part)
            yield from current.values_list("player_id", "mu", "sigma")
            continue
        earlier = changes.filter(is_before(contest, "contest__"), player__in=part)
        numbered = earlier.annotate(nth=Window(RowNumber(), partition_by="player_id", order_by=newest_first))
        yield from numbered.filter(nth=1).values_list("player_id", "mu", "sigma")


@dataclass(frozen=True, slots=True)
class Entry:
    """One ranked row of a contest that is not stored yet; player_id is None for a new player."""

    handle: str
    player_id: int | None
    rank: int
    team: str = ""
    share: float | None = None
    handicap: float | None = None


@dataclass(frozen=True, slots=True)
class ProjectedRating:
    """The projected rating change of one player, in raw rating points."""

    handle: str
    player_id: int | None
    rank: int
    is_new: bool
    mu_before: float
    sigma_before: float
    mu: float
    sigma: float
    performance: float


@dataclass(frozen=True, slots=True)
class ContestPreview:
    """The projected changes, in the order of the entries; empty if there are fewer than two entries."""

    rows: list[ProjectedRating]
    later_contests: int


def preview_contest(contest: Contest, entries: Sequence[Entry] | None = None) -> ContestPreview:
    """
    Rate a draft as if it were finalized now, without players outside its rating limits.

    Raises ContestError if no player is left, or if it has teams or handicaps that the system cannot rate.

    entries
        Rows that replace the stored ones, for a file that has not been saved yet.
    """
    scheme = scheme_of(contest.series_id)
    system = get_system(scheme.system, **scheme.parameters)
    with consistent_read():
        listed = _eligible(contest, list(entries) if entries is not None else _stored_entries(contest))
        ids = _ids(listed)
        field = _field(contest, listed, ids, scheme)
        refuse_unratable(system, contest, has_teams=field.teams is not None, has_handicaps=field.handicap is not None)
        fields, before, later = _history(contest, field, scheme)
    outcome = rate_fields(system, [*fields, field], scoring=scoring_of(scheme), before=before)
    known = set(before) | set(outcome.changes["player_id"][outcome.changes["contest_id"] != contest.pk].tolist())
    return ContestPreview(_rows(contest, listed, ids, outcome, known), later)


def _eligible(contest: Contest, listed: list[Entry]) -> list[Entry]:
    """Return the entries inside the contest's rating limits, with ranks closed up as finalizing does."""
    ids = _ids(listed)
    outside = outside_limits(contest, [(player, entry.team) for player, entry in zip(ids, listed, strict=True)])
    if not outside:
        return listed
    left = [entry for player, entry in zip(ids, listed, strict=True) if player not in outside]
    if not left:
        raise ContestError(ALL_OUTSIDE.format(contest.name))
    ranks = close_up([entry.rank for entry in left], [entry.team for entry in left])
    return [replace(entry, rank=int(rank)) for entry, rank in zip(left, ranks, strict=True)]


def _ids(listed: Sequence[Entry]) -> list[int]:
    """Return a player id for each entry; new players get negative ids, which no stored player has."""
    return [entry.player_id if entry.player_id is not None else -1 - i for i, entry in enumerate(listed)]


def _field(contest: Contest, listed: Sequence[Entry], ids: Sequence[int], scheme: Scheme) -> Field:
    players = np.array(ids, dtype=np.int64)
    order = np.argsort(players, kind="stable")
    least: dict[str, int] = {}
    for entry, player in zip(listed, ids, strict=True):
        least[entry.team] = min(player, least.get(entry.team, player))
    teams = [least[entry.team] if entry.team else player for entry, player in zip(listed, ids, strict=True)]
    terms = {player: (entry.share, entry.handicap) for entry, player in zip(listed, ids, strict=True)}
    return Field(
        contest.pk,
        contest.ends_at,
        scheme.weight_of(contest),
        np.inf if contest.perf_ceiling is None else contest.perf_ceiling,
        players[order],
        np.array([entry.rank for entry in listed], dtype=np.int64)[order],
        np.array(teams, dtype=np.int64)[order] if any(entry.team for entry in listed) else None,
        *terms_of(terms, players[order]),
    )


def _history(contest: Contest, field: Field, scheme: Scheme) -> tuple[list[Field], dict[int, StoredRating], int]:
    """
    Return the contests to rate first, the ratings before them, and the number of later contests.

    If the contest is the newest and the rules are those of the published run, the result is no contests and the stored
    ratings. Otherwise, it is all earlier contests and no ratings.
    """
    later = set(Contest.objects.rated().after(contest).values_list("id", flat=True))
    if not later and follows_rules(Run.objects.current(contest.series_id), scheme):
        return [], read_ratings_before(contest.series_id, scheme, [field]), 0
    fields = read_fields(contest.series_id, duration=scheme.duration_rules)
    return [field for field in fields if field.contest_id not in later], {}, len(later)


def _rows(
    contest: Contest, entries: Sequence[Entry], ids: Sequence[int], outcome: Outcome, known: set[int]
) -> list[ProjectedRating]:
    mine = np.flatnonzero(outcome.changes["contest_id"] == contest.pk)
    names = ("player_id", "mu_before", "sigma_before", "mu", "sigma", "performance")
    columns = [outcome.changes[name][mine].tolist() for name in names]
    by_player = {row[0]: row[1:] for row in zip(*columns, strict=True)}
    return [
        ProjectedRating(entry.handle, entry.player_id, entry.rank, player not in known, *by_player[player])
        for entry, player in zip(entries, ids, strict=True)
        if player in by_player
    ]


def _stored_entries(contest: Contest) -> list[Entry]:
    rows = Standing.objects.ranked().filter(contest=contest).order_by("rank", "player__handle_key")
    columns = rows.values_list("player__handle", "player_id", "rank", "team", "share", "handicap")
    return [
        Entry(handle, player, rank, team, share, handicap)
        for handle, player, rank, team, share, handicap in columns
        if rank is not None
    ]
