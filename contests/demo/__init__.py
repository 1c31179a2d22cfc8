"""The values of a generated community, for demonstrations and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from datetime import datetime


Status: TypeAlias = Literal["ranked", "unofficial", "disqualified"]


@dataclass(frozen=True, slots=True)
class DemoPlayer:
    """A fictional person. The country is an ISO 3166 alpha-2 code; the affiliation can be empty."""

    handle: str
    name: str
    country: str
    affiliation: str


@dataclass(frozen=True, slots=True)
class DemoRow:
    """One row of a contest's standings.

    place
        Competition rank among the ranked and the disqualified rows (1, 2, 2, 4); None for unofficial rows.
    score, penalty
        More points rank higher, then less penalty (seconds; None in contests without penalties).
    """

    handle: str
    place: int | None
    score: int
    penalty: int | None
    status: Status = "ranked"


@dataclass(frozen=True, slots=True)
class DemoContest:
    """One contest; rows best place first. A contest that is not finalized is a draft."""

    slug: str
    name: str
    url: str
    starts_at: datetime
    ends_at: datetime
    weight: float
    finalized: bool
    rows: tuple[DemoRow, ...]


@dataclass(frozen=True, slots=True)
class DemoSeries:
    """One series with its contests, oldest first."""

    slug: str
    name: str
    description: str
    contests: tuple[DemoContest, ...]


@dataclass(frozen=True, slots=True)
class DemoCommunity:
    """All players, and the series they take part in; without a slug, for the default community of the site."""

    slug: str
    name: str
    description: str
    players: tuple[DemoPlayer, ...]
    series: tuple[DemoSeries, ...]
