"""Writing the rows of one contest and keeping its ranks true; used by the other services inside their transactions."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

import numpy as np

from contests.bulk import insert_arrays, insert_rows
from contests.errors import ContestError
from contests.models import Contest, Standing, StandingStatus
from contests.ranking import close_up, competition_ranks
from contests.services.locking import lock_players_shared

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contests.formats import ParsedContest, ParsedStanding
    from contests.services.players import PlayerRegister

_COLUMNS = ("contest_id", "player_id", "place", "rank", "score", "penalty", "team", "status")


def content_hash(standings: Sequence[ParsedStanding], register: PlayerRegister) -> str:
    """Return a digest of what the rows say, whatever their order: equal digests mean equal results."""
    lines = sorted(
        f"{register.key(s.handle)}\t{s.place}\t{s.score}\t{s.penalty}\t{s.team}\t{s.status}" for s in standings
    )
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def write_standings(contest: Contest, parsed: ParsedContest, register: PlayerRegister) -> None:
    """Insert the rows of a contest that has none; players that are new are created."""
    lock_players_shared()
    ids = register.find_or_create(parsed.standings)
    rows = parsed.standings
    players = [ids[register.key(row.handle)] for row in rows]
    _refuse_one_player_twice(contest, rows, players)
    ranks = parsed.ranks
    plain = all(row.status == "ranked" and row.score is None and row.penalty is None and not row.team for row in rows)
    if plain:
        insert_arrays(
            Standing,
            {
                "contest_id": np.full(len(rows), contest.pk),
                "player_id": np.array(players),
                "place": np.array([row.place for row in rows]),
                "rank": np.array(ranks),
            },
        )
        return
    insert_rows(
        Standing,
        _COLUMNS,
        (
            (contest.pk, player, row.place, rank, row.score, row.penalty, row.team, row.status)
            for player, rank, row in zip(players, ranks, rows, strict=True)
        ),
    )


def _refuse_one_player_twice(contest: Contest, rows: Sequence[ParsedStanding], players: Sequence[int]) -> None:
    """Two handles of a file may be one player, known by a handle and an alias."""
    if len(set(players)) == len(players):
        return
    seen: dict[int, str] = {}
    for player, row in zip(players, rows, strict=True):
        if player in seen:
            raise ContestError(
                f"“{row.handle}” and “{seen[player]}” are one player, known by both names, and stand in "
                f"“{contest.name}” twice; leave one of the two rows out."
            )
        seen[player] = row.handle


def ranks_of(rows: Sequence[Standing | ParsedStanding]) -> list[int | None]:
    """
    Return the competition rank of each ranked row among the ranked rows (a team counts as one), None for the
    others.
    """
    ranked = [i for i, row in enumerate(rows) if row.status == StandingStatus.RANKED]
    ranks: list[int | None] = [None] * len(rows)
    closed = close_up([_known(rows[i].place) for i in ranked], [rows[i].team for i in ranked])
    for i, rank in zip(ranked, closed, strict=True):
        ranks[i] = int(rank)
    return ranks


def decided_by_scores(rows: Sequence[Standing]) -> bool:
    """Whether the places follow from scores and penalties alone, so that a corrected score moves its row by itself."""
    if not rows or any(row.score is None or row.place is None for row in rows):
        return False
    return places_from_scores(rows) == [row.place for row in rows]


def places_from_scores(rows: Sequence[Standing]) -> list[int]:
    """
    Return the place of each row by score (higher first), then penalty (lower first); ties share the best place.

    A team counts as one, as where a file gives scores alone (`contests.formats.assembly`).
    """
    scores = [float(row.score) if row.score is not None else -math.inf for row in rows]
    penalties = [row.penalty or 0.0 for row in rows]
    ranks, teams = competition_ranks(scores, penalties), [row.team for row in rows]
    return close_up(ranks, teams) if any(teams) else ranks


def snapshot_of(rows: Mapping[str, Standing]) -> dict[str, dict[str, object]]:
    """Return rows as an audit entry shows them: handle -> place, rank, score, status."""
    return {
        handle: {"place": row.place, "rank": row.rank, "score": row.score, "status": row.status}
        for handle, row in rows.items()
    }


def _known(place: int | None) -> int:
    if place is None:
        raise ValueError("a ranked row has no place")
    return place
