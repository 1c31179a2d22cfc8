"""Factories for rows: tests pass the values that matter, and get the rest generated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from contests.errors import ContestError
from contests.handles import handle_key, normalize_handle
from contests.models import Community, Contest, ContestState, Membership, Player, Series, Standing
from contests.services.standings import ranks_of
from contests.services.transactions import announce
from ratings.models import RunState
from ratings.publishing.refresh import refresh_series
from ratings.publishing.rolling_back import ask_roll_back

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ratings.models import Run

FIRST_DAY = datetime(2024, 1, 6, 18, 0, tzinfo=UTC)
_numbers = count(1)


def make_user(name: str = "", *, password: str = "correct-horse-battery", **fields: Any):
    """Make an account; without a given password, all accounts have the same one."""
    return get_user_model().objects.create_user(name or f"user{next(_numbers)}", password=password, **fields)


def make_community(slug: str = "main", *, owner: Any = None, **fields: Any) -> Community:
    """Return the community with this slug, creating it if needed; all factories use "main" by default."""
    community = Community.objects.get_or_create(slug=slug, defaults={"name": slug.title(), **fields})[0]
    if owner is not None:
        Membership.objects.update_or_create(community=community, user=owner, defaults={"role": "owner"})
    return community


def make_series(
    slug: str = "", *, organizer: Any = None, community: str = "main", is_public: bool = True, **fields: Any
) -> Series:
    slug = slug or f"series-{next(_numbers)}"
    series = Series.objects.create(
        community=make_community(community),
        slug=slug,
        is_private=not is_public,
        **{"name": slug.replace("-", " ").title(), **fields},
    )
    if organizer is not None:
        series.organizers.add(organizer)
    return series


def make_player(handle: str = "", *, community: str = "main", **fields: Any) -> Player:
    """Return the player with this handle, creating it if needed."""
    handle = normalize_handle(handle or f"player{next(_numbers)}")
    return Player.objects.get_or_create(
        community=make_community(community), handle_key=handle_key(handle), defaults={"handle": handle, **fields}
    )[0]


def make_unrated_player(handle: str = "", **fields: Any) -> Player:
    """Return a player who is publicly visible because of a public but unrated result."""
    player = make_player(handle, **fields)
    series = Series.objects.get_or_create(community=player.community, slug="unrated", defaults={"name": "Unrated"})[0]
    contest = series.contests.first() or make_contest(series, is_rated=False)
    Standing.objects.get_or_create(contest=contest, player=player, defaults={"place": 1, "rank": 1})
    return player


def make_contest(
    series: Series | None = None,
    *,
    standings: Sequence[tuple[Any, ...]] = (),
    players: int = 0,
    teams: Mapping[str, str] | None = None,
    day: float | None = None,
    finalized: bool = True,
    **fields: Any,
) -> Contest:
    """
    Make a contest with its standings, finalized and announced by default.

    standings
        (handle, place) or (handle, place, score) or (handle, place, score, status).
    players
        Instead of standings: that many players "p0", "p1", … in places 1, 2, …
    teams
        Team of each handle that has one.
    day
        Days after FIRST_DAY on which it ends; by default the day after the series' newest contest.
    """
    series = series or make_series()
    rows = list(standings) or [(f"p{i}", i + 1) for i in range(players)]
    number = next(_numbers)
    defaults: dict[str, Any] = {
        "slug": f"c{number}",
        "name": f"Contest {number}",
        "ends_at": _moment(series, day),
        "standing_count": len(rows),
        "has_teams": bool(teams),
    }
    contest = Contest.objects.create(series=series, **{**defaults, **fields})
    _add_standings(contest, rows, teams or {})
    if finalized:
        contest.state, contest.finalized_at = ContestState.FINALIZED, timezone.now()
        contest.save()
        announce(contest, cause=f"Finalized {contest.name}", actor=None)
    return contest


def rate(series: Series, *, full: bool = False) -> Run | None:
    """Rate what is stale, in this process."""
    return refresh_series(series.pk, full=full)


def roll_back(series_id: int, number: int, *, reason: str, actor: Any = None) -> Run:
    """Roll back in this process; return the run. ContestError if it is refused, fails or is cancelled."""
    run = ask_roll_back(series_id, number, reason=reason, actor=actor)
    refresh_series(series_id)
    run.refresh_from_db()
    if run.state in (RunState.FAILED, RunState.CANCELLED):
        raise ContestError(run.error)
    return run


def _moment(series: Series, day: float | None) -> datetime:
    if day is not None:
        return FIRST_DAY + timedelta(days=day)
    newest = series.contests.newest_first().first()
    return newest.ends_at + timedelta(days=1) if newest else FIRST_DAY


def _add_standings(contest: Contest, rows: Sequence[tuple[Any, ...]], teams: Mapping[str, str]) -> None:
    keys = [handle_key(str(row[0])) for row in rows]
    handles = dict(zip(keys, (normalize_handle(str(row[0])) for row in rows), strict=True))
    ids = _players(contest.series.community_id, handles)
    standings = []
    for key, (handle, place, *more) in zip(keys, rows, strict=True):
        score = more[0] if more else None
        status = more[1] if len(more) > 1 else "ranked"
        standings.append(
            Standing(
                contest=contest,
                player_id=ids[key],
                place=place,
                score=score,
                status=status,
                team=teams.get(str(handle), ""),
                rank=place if status == "ranked" else None,
            )
        )
    for standing, rank in zip(standings, ranks_of(standings), strict=True):
        standing.rank = rank
    Standing.objects.bulk_create(standings, batch_size=1000)


def _players(community: str, handles: Mapping[str, str]) -> dict[str, int]:
    """Return the players' ids by handle key; create missing players and index their names."""

    def known() -> dict[str, int]:
        return dict(Player.objects.filter(community=community, handle_key__in=handles).values_list("handle_key", "id"))

    ids = known()
    if missing := handles.keys() - ids.keys():
        players = [
            Player(community_id=community, handle=handle, handle_key=key)
            for key, handle in handles.items()
            if key in missing
        ]
        Player.objects.bulk_create(players, ignore_conflicts=True)
        ids = known()
    return ids
