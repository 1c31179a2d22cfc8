"""Standings tables with what they would do to ratings: one row for each participant, in the order of the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contests.services.players import PlayerRegister
from ratings.services.previewing import Entry, preview_contest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.formats import ParsedContest
    from contests.models import Contest, Standing
    from ratings.services.previewing import WouldBe
    from ratings.shown import Shown

#: Longer tables are cut here; counts and ratings are always of all rows.
ROWS_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Effect:
    """What would happen to one shown rating; `before` is None for somebody new to the series."""

    before: int | None
    after: int
    change: int
    performance: int

    @classmethod
    def of(cls, would_be: WouldBe, view: Shown) -> Effect:
        before = view.rating_of(would_be.mu_before, would_be.sigma_before)
        after = view.rating_of(would_be.mu, would_be.sigma)
        return cls(
            None if would_be.is_new else before,
            after,
            after - before,
            view.rating(would_be.performance),
        )


@dataclass(frozen=True, slots=True)
class TableRow:
    """One participant as the table shows it; `player_id` is None for somebody whom the site does not know yet."""

    handle: str
    name: str
    country: str
    team: str
    status: str
    rank: int | None
    score: float | None
    penalty: float | None
    player_id: int | None
    effect: Effect | None
    standing_id: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The first rows of a standings table, and the counts of all of it."""

    rows: list[TableRow]
    total: int
    ranked: int
    unofficial: int
    disqualified: int
    new_players: int
    later_contests: int
    moves_ratings: bool

    @property
    def is_cut(self) -> bool:
        return self.total > len(self.rows)

    @property
    def has_scores(self) -> bool:
        return any(row.score is not None for row in self.rows)

    @property
    def has_teams(self) -> bool:
        return any(row.team for row in self.rows)


def table_of_file(contest: Contest, parsed: ParsedContest, view: Shown) -> Table:
    """Return what the table of a contest would be if its standings were those of a file."""
    register = PlayerRegister()
    ids = register.find(parsed.standings)
    players = [ids.get(register.key(standing.handle)) for standing in parsed.standings]
    order = sorted(range(len(players)), key=lambda i: (parsed.ranks[i] is None, parsed.ranks[i] or 0, i))
    entries = [
        Entry(parsed.standings[i].handle, players[i], rank) for i in order if (rank := parsed.ranks[i]) is not None
    ]
    effects, later = _effects(contest, entries, view)
    rows = []
    for i in order[:ROWS_SHOWN]:
        row = parsed.standings[i]
        rows.append(
            TableRow(
                row.handle,
                row.name,
                row.country,
                row.team,
                row.status,
                parsed.ranks[i],
                row.score,
                row.penalty,
                players[i],
                effects.get(row.handle),
            )
        )
    statuses = [row.status for row in parsed.standings]
    return _table(rows, statuses, players.count(None), later, effects)


def table_of_draft(contest: Contest, view: Shown) -> Table:
    """Return the table of a draft's stored standings."""
    stored = contest.standings.for_table()
    effects, later = _effects(contest, None, view) if contest.standing_count else ({}, 0)
    rows = [_stored_row(standing, effects.get(standing.player.handle)) for standing in stored[:ROWS_SHOWN]]
    statuses = list(contest.standings.values_list("status", flat=True))
    return _table(rows, statuses, 0, later, effects)


def _stored_row(standing: Standing, effect: Effect | None) -> TableRow:
    player = standing.player
    return TableRow(
        player.handle,
        player.name,
        player.country,
        standing.team,
        standing.status,
        standing.rank,
        standing.score,
        standing.penalty,
        player.pk,
        effect,
        standing.pk,
    )


def _effects(contest: Contest, entries: Sequence[Entry] | None, view: Shown) -> tuple[dict[str, Effect], int]:
    """Return handle -> effect of the rows that are shown, and how many later contests would be replayed."""
    if not contest.is_rated:
        return {}, 0
    preview = preview_contest(contest, entries)
    return {row.handle: Effect.of(row, view) for row in preview.rows[:ROWS_SHOWN]}, preview.later_contests


def _table(
    rows: list[TableRow], statuses: Sequence[str], new_players: int, later: int, effects: dict[str, Effect]
) -> Table:
    return Table(
        rows,
        len(statuses),
        statuses.count("ranked"),
        statuses.count("unofficial"),
        statuses.count("disqualified"),
        new_players,
        later,
        bool(effects),
    )
