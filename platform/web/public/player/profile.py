"""A player's profile: figures in one series and in all, tier steps, other names, and how other sites present it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import numpy as np
from django.conf import settings
from django.urls import reverse
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from contests.addresses import whole_address
from contests.queries.names import merged_handles, visible_aliases
from ratings.models import RatingChange
from ratings.queries.boards import board_of, is_provisional
from ratings.queries.contest_kinds import is_of_games
from ratings.queries.filters import established_rows, rank_among_established
from ratings.queries.rows import uncertainty_of, uneven_band
from ratings.queries.snapshot import displayed_percentile, snapshots_of
from ratings.systems.contest import days_since_1970
from web.shared.numbers import points as written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import AnonymousUser, User
    from django.http import HttpRequest

    from contests.models import Player
    from ratings.display import Tier
    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.player.history import HistoryRow


@dataclass(frozen=True, slots=True)
class Figures:
    """
    A player's numbers in a series, in displayed points, with the percentile in percent. None where they do not apply.

    rank_established, total_established
        Rank among the established and active players, if the player is one of them, and their number.
    position
        Position on a ladder.
    band
        The lower and upper ends of the range of the uncertainty, if the display makes one side longer than the other.
    is_inactive
        Whether the last contest is too long ago for leaderboards to count the player as active.
    next_tier, to_next, progress
        The next tier, the points to it, and the progress from the current threshold to the next in percent.
    behind, ahead
        In the highest tier: how many points the player is behind the player above on the leaderboard; for the best
        player, how many ahead of the player below.
    """

    rating: Rating
    points: int
    uncertainty: int | None
    band: tuple[int, int] | None
    peak: int
    rank: int
    total: int
    rank_established: int | None
    total_established: int
    percentile: float
    next_tier: Tier | None
    to_next: int | None
    progress: int | None
    behind: int | None
    ahead: int | None
    position: float | None
    is_inactive: bool

    @property
    def listed(self) -> tuple[int, int]:
        """Rank on the leaderboard that a link to the player opens, and the number of players on it."""
        if self.rank_established is None:
            return self.rank, self.total
        return self.rank_established, self.total_established


def figures(snapshot: SeriesSnapshot, rating: Rating) -> Figures:
    """Return the figures at the top of a player's page."""
    points, rank, total = snapshot.rating(rating.score), snapshot.index.rank(rating.score), len(snapshot.index)
    missing = snapshot.tiers.to_next(points)
    listed = rank_among_established(snapshot, rating)
    behind, ahead = (None, None) if missing is not None else _distances(snapshot, rating, listed[0] is not None)
    return Figures(
        rating=rating,
        points=points,
        uncertainty=(
            int(uncertainty_of(snapshot, snapshot.centre(rating.mu, rating.sigma), rating.sigma))
            if snapshot.sigma_means != "nothing"
            else None
        ),
        band=uneven_band(snapshot, rating.score, rating.sigma),
        peak=snapshot.rating(rating.peak),
        rank=rank,
        total=total,
        rank_established=listed[0],
        total_established=listed[1],
        percentile=displayed_percentile(rank, total),
        next_tier=snapshot.tiers.next_tier(points),
        to_next=None if missing is None else int(missing),
        progress=_progress(snapshot, points),
        behind=behind,
        ahead=ahead,
        position=-rating.score if snapshot.has_positions else None,
        is_inactive=not board_of(snapshot).is_active(days_since_1970(rating.last_contest.ends_at)),
    )


def _distances(snapshot: SeriesSnapshot, rating: Rating, is_established: bool) -> tuple[int | None, int | None]:
    """Return how many points the player is behind the player above or, at the top, ahead of the player below."""
    if snapshot.has_positions:
        return None, None
    scores = snapshot.index.scores
    if is_established and len(rows := established_rows(snapshot)):
        scores = scores[rows]
    points = snapshot.rating(rating.score)
    better = len(scores) - int(np.searchsorted(scores[::-1], rating.score, side="right"))
    if better:
        return snapshot.rating(float(scores[better - 1])) - points, None
    return None, points - snapshot.rating(float(scores[1])) if len(scores) > 1 else None


def _progress(snapshot: SeriesSnapshot, points: int) -> int | None:
    """Return the progress of a rating through its tier in percent; None in the lowest and highest tiers."""
    below, above = snapshot.tier(points).minimum, snapshot.tiers.next_tier(points)
    if below is None or above is None or above.minimum is None:
        return None
    return 100 * (points - below) // (above.minimum - below)


@dataclass(frozen=True, slots=True)
class BestPlace:
    """The best place of a player in a rated contest: its first row, and the number of times."""

    row: HistoryRow
    times: int


def best_place(rows: Sequence[HistoryRow]) -> BestPlace | None:
    """Return the best place of a history, given oldest first; None without contests other than games."""
    contests = [row for row in rows if row.outcome is None]
    if not contests:
        return None
    best = min(contests, key=lambda row: row.change.rank)
    return BestPlace(best, sum(row.change.rank == best.change.rank for row in contests))


@dataclass(frozen=True, slots=True)
class SeriesRow:
    """
    A player in one series.

    ratings
        Ratings after each contest, oldest first, in displayed points.
    """

    snapshot: SeriesSnapshot
    figures: Figures
    ratings: list[int]


def series_rows(ratings: Sequence[Rating]) -> list[SeriesRow]:
    """Return the rows of a player's ratings in the same order, in three queries."""
    snapshots = snapshots_of(rating.series for rating in ratings)
    histories = _histories(ratings)
    return [
        SeriesRow(snapshot, figures(snapshot, rating), _shown(snapshot, histories.get(rating.series_id, [])))
        for rating in ratings
        for snapshot in [snapshots[rating.series_id]]
    ]


def _histories(ratings: Sequence[Rating]) -> dict[int, list[Any]]:
    """Return (mean, deviation) after each rated contest of one player by series, oldest first."""
    found: dict[int, list[Any]] = {}
    changes = RatingChange.objects.current().filter(
        player__in={rating.player_id for rating in ratings}, series__in=[rating.series_id for rating in ratings]
    )
    for series_id, *belief in changes.order_by("number").values_list("series_id", "mu", "sigma"):
        found.setdefault(series_id, []).append(belief)
    return found


def _shown(snapshot: SeriesSnapshot, beliefs: Sequence[Any]) -> list[int]:
    if not beliefs:
        return []
    mu, sigma = np.array(beliefs).T
    return list(snapshot.mapping.show(snapshot.score(mu, sigma)).tolist())


@dataclass(frozen=True, slots=True)
class TierStep:
    """
    One tier of a series, as a step on a player's way.

    number
        Its position among the tiers of the series, from the lowest, which is 0.
    reached
        The first contest after which the rating was in this tier or above; None for tiers that were never reached
        and for tiers below the one after the first contest.
    is_provisional
        Whether the rating was still provisional at that time.
    is_current, is_league
        Whether it is the tier of the current rating; whether it is the player's league, if that is another tier.
    missing
        Points from the current rating to the tier; None unless the tier is above it.
    """

    number: int
    tier: Tier
    reached: HistoryRow | None
    is_provisional: bool
    is_current: bool
    is_league: bool
    missing: int | None


def tier_steps(snapshot: SeriesSnapshot, rows: Sequence[HistoryRow], points: int, shown: int) -> list[TierStep]:
    """
    Return tiers, highest first, each with the row of the history (given oldest first) that first reached it.

    `points` is the current rating, and `shown` the position of the tier or league in the head of the page. Tiers below
    the one after the first contest have no such row, because the player started above them; of these, only the current
    one and those above it are listed.
    """
    if not rows:
        return []
    early = is_provisional(snapshot, np.arange(1, len(rows) + 1))
    positions = snapshot.tiers.positions([row.after for row in rows])
    current = snapshot.tier_number(points)
    highest = np.maximum.accumulate(positions)
    steps = []
    for number, tier in enumerate(snapshot.tiers):
        first = int(np.searchsorted(highest, number))
        is_reached = first < len(rows) and number >= positions[0]
        missing = tier.minimum - points if number > current and tier.minimum is not None else None
        steps.append(
            TierStep(
                number,
                tier,
                reached=rows[first] if is_reached else None,
                is_provisional=is_reached and bool(early[first]),
                is_current=number == current,
                is_league=number == shown != current,
                missing=missing,
            )
        )
    steps.reverse()
    return [step for step in steps if step.reached or step.is_current or step.is_league or step.missing is not None]


def other_names(player: Player, user: User | AnonymousUser) -> list[str]:
    """Return the old handles, other names and handles of merged players that the visitor may know, in order."""
    aliases = visible_aliases(user).filter(player=player).values_list("handle", flat=True)
    merged = (handle for _, handle in merged_handles([player.pk], user))
    return sorted({*aliases, *merged} - {player.handle}, key=lambda name: (name.casefold(), name))


#: Size of the frame for the widget, in CSS pixels.
WIDGET_SIZE = (360, 200)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A text to copy, and what it is for."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Sharing:
    """
    Absolute addresses, and snippets that show a player's rating elsewhere.

    alt
        Alternative text of the badge.
    """

    title: str
    description: str
    alt: str
    page: str
    card: str
    badge: str
    widget: str
    snippets: list[Snippet]


def sharing_of(
    request: HttpRequest, player: Player, snapshot: SeriesSnapshot, numbers: Figures, *, called: str
) -> Sharing:
    """Return the addresses, texts and snippets for a player's rating in a series on other sites, with this name."""
    query = {"series": snapshot.series.slug}
    page = _absolute(request, "player", player, query)
    # Other sites fetch it by its address alone, so the address includes the language.
    language = get_language()
    query |= {"lang": language} if language and language != settings.LANGUAGE_CODE else {}
    card, badge, widget = (_absolute(request, name, player, query) for name in ("card", "badge", "widget"))
    names = {"player": called, "series": snapshot.series.name}
    alt = _("Rating of %(player)s in %(series)s") % names
    return Sharing(
        title=_("%(player)s in %(series)s") % names,
        description=description_of(snapshot, numbers),
        alt=alt,
        page=page,
        card=card,
        badge=badge,
        widget=widget,
        snippets=_snippets(page, badge, widget, alt),
    )


def _snippets(page: str, badge: str, widget: str, alt: str) -> list[Snippet]:
    """Return the snippets as plain text, which the template escapes once more."""
    width, height = WIDGET_SIZE
    picture = f'<a href="{escape(page)}"><img src="{escape(badge)}" alt="{escape(alt)}" height="20"></a>'
    markdown = f"[![{_plain_markdown(alt)}]({_closed(badge)})]({_closed(page)})"
    frame = (
        f'<iframe src="{escape(widget)}" title="{escape(alt)}" width="{width}" height="{height}" loading="lazy">'
        "</iframe>"
    )
    return [
        Snippet(_("Link"), page),
        Snippet(_("Badge (HTML)"), picture),
        Snippet(_("Badge (Markdown)"), markdown),
        Snippet(_("Embed (HTML)"), frame),
    ]


def description_of(snapshot: SeriesSnapshot, numbers: Figures) -> str:
    """Return a sentence with a player's rating, rank and peak."""
    if is_of_games(snapshot):
        words = _("Rating %(rating)s (%(tier)s), rank %(rank)s of %(total)s, peak %(peak)s; rated games: %(contests)s.")
    else:
        words = _(
            "Rating %(rating)s (%(tier)s), rank %(rank)s of %(total)s, peak %(peak)s; rated contests: %(contests)s."
        )
    return words % {
        "rating": written(numbers.points),
        "tier": snapshot.tier(numbers.points).name,
        "rank": written(numbers.listed[0]),
        "total": written(numbers.listed[1]),
        "peak": written(numbers.peak),
        "contests": written(numbers.rating.contest_count),
    }


def _absolute(request: HttpRequest, name: str, player: Player, query: dict[str, str]) -> str:
    return whole_address(request, f"{reverse(name, args=[player.community_id, player.handle])}?{urlencode(query)}")


def _plain_markdown(text: str) -> str:
    """Return a text with the special characters of Markdown escaped."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>!~|&" else letter for letter in text)


def _closed(address: str) -> str:
    """Return an address with escaped parentheses, which would end a Markdown link."""
    return address.replace("(", "%28").replace(")", "%29")
