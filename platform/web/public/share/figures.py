"""The figures of a player in one public series, for cards, badges and widgets on other sites."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from django.contrib.auth.models import AnonymousUser

from contests.models import PlayerPicture, Series
from ratings.models import Rating, RatingChange
from ratings.queries.contest_kinds import is_of_games
from ratings.queries.filters import rank_among_established
from ratings.queries.search import player_of
from ratings.queries.snapshot import snapshot_of
from web.shared.names import names_of

if TYPE_CHECKING:
    from datetime import datetime

    from contests.models import Player
    from ratings.display import Tier
    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.names import Names

#: The version of the design; raise it when cards, badges or widgets look different, so that caches drop old ones.
DESIGN = "5"
#: The maximum number of contests in the small graph; the newest ones are kept.
GRAPH_CONTESTS = 1_000


@dataclass(frozen=True, slots=True)
class PlayerFigures:
    """
    The figures of a player in a series, in displayed points.

    rank, total
        The rank at the top of the player's page: among established and active players if the player is one of them,
        else among all; and their number.
    """

    snapshot: SeriesSnapshot
    points: int
    peak: int
    rank: int
    total: int
    contests: int
    of_games: bool

    @property
    def tier(self) -> Tier:
        return self.snapshot.tier(self.points)

    @property
    def tier_number(self) -> int:
        return self.snapshot.tier_number(self.points)


@dataclass(frozen=True, slots=True)
class Subject:
    """
    The player and series that a request names.

    player
        None if no player has this handle, or if the player appears only in private series.
    names
        The names of the player.
    series
        None if the series is unknown or private, or if the request names none and no public one rates the player.
    figures
        None if the player is not rated in the series.
    """

    player: Player | None
    series: Series | None = None
    figures: PlayerFigures | None = None
    is_series_unknown: bool = False
    names: Names | None = None

    @property
    def status(self) -> int:
        return 404 if self.player is None or self.is_series_unknown else 200

    def etag(self, *more: object) -> str:
        """Return an entity tag that changes with the run, the scheme, the names and the design."""
        snapshot = self.figures.snapshot if self.figures is not None else None
        parts = (
            DESIGN, self.status, self.names,
            self.player and (self.player.pk, self.player.country, self.player.affiliation, self.player.picture),
            self.series and (self.series.pk, self.series.name), snapshot and snapshot.run and snapshot.run.uid,
            snapshot and snapshot.scheme and snapshot.scheme.uid, *more,
        )  # fmt: skip
        return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'


def subject_of(community: str, handle: str, slug: str) -> Subject:
    """Return the player's figures in this public series, or by default in the one of their latest rated contest."""
    player = player_of(community, handle, AnonymousUser())
    if player is None:
        return Subject(None)
    names = names_of(player, names_first=player.community.names_first)
    ratings = Rating.objects.filter(player=player, series__is_public=True).select_related("series").defer("belief")
    if slug:
        series = Series.objects.public().filter(community=community, slug=slug).first()
        rating = ratings.filter(series=series).first() if series is not None else None
    else:
        rating = ratings.order_by("-last_contest__ends_at", "series__name").first()
        series = rating.series if rating is not None else None
    if rating is not None and series is not None:
        return Subject(player, series, _figures(snapshot_of(series), rating), names=names)
    return Subject(player, series, is_series_unknown=bool(slug) and series is None, names=names)


def _figures(snapshot: SeriesSnapshot, rating: Rating) -> PlayerFigures:
    rank, total = rank_among_established(snapshot, rating)
    if rank is None:
        rank, total = snapshot.index.rank(rating.score), len(snapshot.index)
    return PlayerFigures(
        snapshot,
        snapshot.rating(rating.score),
        snapshot.rating(rating.peak),
        rank,
        total,
        rating.contest_count,
        is_of_games(snapshot),
    )


def picture_of(subject: Subject) -> bytes:
    """Return the file of the player's picture; empty without one."""
    if subject.player is None or not subject.player.picture:
        return b""
    file = PlayerPicture.objects.filter(player=subject.player).values_list("content", flat=True).first()
    return bytes(file or b"")


def history_of(subject: Subject) -> tuple[list[datetime], list[int]]:
    """Return the end times of the newest contests, oldest first, and the displayed rating after each, in one query."""
    if subject.figures is None:
        return [], []
    changes = RatingChange.objects.current().filter(player=subject.player, series=subject.series)
    newest = changes.order_by("-number")[:GRAPH_CONTESTS]
    rows = list(newest.values_list("contest__ends_at", "mu", "sigma"))[::-1]
    if not rows:
        return [], []
    mu, sigma = (np.array([row[place] for row in rows]) for place in (1, 2))
    snapshot = subject.figures.snapshot
    # After a roll-back, a contest can have another date than when it was rated. The line never goes back in time.
    return list(accumulate((row[0] for row in rows), max)), snapshot.mapping.show(snapshot.score(mu, sigma)).tolist()
