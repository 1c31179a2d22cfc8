"""Comparisons of two published runs of a series: the players who moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from contests.bulk import chunks
from contests.models import Player
from contests.whole_numbers import number_or_zero
from ratings.database import consistent_read
from ratings.models import Run, Scheme
from ratings.publishing.scheme_changes import differences
from ratings.queries.filters import ids_matching
from ratings.queries.run_comparison import NONE, Comparison, compare
from ratings.queries.snapshot import as_of
from web.shared.access import organizer_page, own_series
from web.shared.csv_files import csv_file
from web.shared.params import page_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest

    from contests.models import Series
    from ratings.publishing.scheme_changes import Difference
    from web.shared.params import SeriesPath

MOVES_PER_PAGE = 100
#: Filters of the comparison, with their labels.
KINDS = {
    "": gettext_lazy("Rating or rank changed"),
    "up": gettext_lazy("Up"),
    "down": gettext_lazy("Down"),
    "tier": gettext_lazy("Tier changed"),
    "entered": pgettext_lazy("players", "New"),
    "left": gettext_lazy("No longer rated"),
    "rank": gettext_lazy("Only rank changed"),
}
CSV_COLUMNS = ("handle", "rating_from", "rating_to", "change", "rank_from", "rank_to", "tier_from", "tier_to")


@dataclass(frozen=True, slots=True)
class Move:
    """One player in a comparison, in displayed numbers; None without a rating."""

    player: Player
    before: int | None
    after: int | None
    rank_before: int | None
    rank_after: int | None
    changes_tier: bool

    @property
    def change(self) -> int | None:
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def climbed(self) -> int | None:
        """Ranks gained; negative if lost."""
        return None if self.rank_before is None or self.rank_after is None else self.rank_before - self.rank_after


@organizer_page
def comparison(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the players who moved between two runs."""
    series = own_series(request, at)
    with consistent_read():
        first, second, current = _two_runs(request, series)
        context: dict[str, object] = {
            "series": series,
            "first": first,
            "second": second,
            "current": current,
            "asked_from": first.number if first else text_of(request, "from")[:10],
            "asked_to": second.number if second else text_of(request, "to")[:10],
        }
        if first is None or second is None or current is None:
            context["published_count"] = Run.objects.published().filter(series=series).count()
            return render(request, "organize/runs/compare.html", context, status=404)
        compared = compared_runs(series, first, second, current)
        kind, search = text_of(request, "kind"), text_of(request, "q")
        page, status = page_of(request, _chosen(compared, kind, search, series.community_id), MOVES_PER_PAGE)
        numbers = {"from": first.number, "to": second.number}

        def query(kind: str) -> str:
            return urlencode(numbers | {name: text for name, text in (("kind", kind), ("q", search)) if text})

        context |= {
            "compared": compared,
            "differences": _rated_differently(first.scheme, second.scheme),
            "before": gettext("Run %(number)s") % {"number": first.number},
            "after": gettext("Run %(number)s") % {"number": second.number},
            "kinds": [(name, words, _count(compared, name), query(name)) for name, words in KINDS.items()],
            "kind": kind if kind in KINDS else "",
            "csv_query": query(kind if kind in KINDS else ""),
            "search": search,
            "page": page,
            "moves": moves_of(compared, page.object_list),
        }
        return render(request, "organize/runs/compare.html", context, status=status)


@organizer_page
def comparison_csv(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Return all rows of the comparison as CSV."""
    series = own_series(request, at)
    with consistent_read():
        first, second, current = _two_runs(request, series)
        if first is None or second is None or current is None:
            raise Http404("One of these runs does not exist or was not published.")
        compared = compared_runs(series, first, second, current)
        moves = moves_of(
            compared, _chosen(compared, text_of(request, "kind"), text_of(request, "q"), series.community_id)
        )
    rows: list[list[object]] = [list(CSV_COLUMNS)]
    for move in moves:
        tiers = [
            "" if rating is None else snapshot.tier(rating).name
            for snapshot, rating in ((compared.before, move.before), (compared.after, move.after))
        ]
        numbers = (move.before, move.after, move.change, move.rank_before, move.rank_after)
        rows.append([move.player.handle, *numbers, *tiers])
    return csv_file(rows, f"{series.slug}-run-{first.number}-to-{second.number}")


def _two_runs(request: HttpRequest, series: Series) -> tuple[Run | None, Run | None, Run | None]:
    """Return the published runs that `?from=` and `?to=` name (by default the last two), and the current one."""
    current = Run.objects.current(series.pk)
    newest = current.number if current is not None else 0
    second = number_or_zero(text_of(request, "to")) if text_of(request, "to") else newest
    published = Run.objects.published().filter(series=series).select_related("scheme")
    earlier = published.filter(number__lt=min(second, 2**31 - 1)).order_by("-number")
    if text_of(request, "from"):
        earlier = published.filter(number=min(number_or_zero(text_of(request, "from")), 2**31 - 1))
    return earlier.first(), published.filter(number=min(second, 2**31 - 1)).first(), current


def compared_runs(series: Series, first: Run, second: Run, current: Run) -> Comparison:
    """Compare two runs, each with the newest scheme, or with its own if the rating points differ."""
    newest = Scheme.objects.newest(series.pk)
    return compare(as_of(series, first, newest), as_of(series, second, newest), current)


def _rated_differently(before: Scheme, after: Scheme) -> list[Difference]:
    """Return the differences between two versions of the scheme if they change ratings, not only their display."""
    return [] if before.rates_alike(after) else differences(before, after)


def _chosen(compared: Comparison, kind: str, search: str, community: str) -> list[int]:
    among = None
    if search:
        among = ids_matching(search, community)
    return compared.rows(kind=kind, among=among).tolist()


def _count(compared: Comparison, kind: str) -> int:
    return compared.counts[kind] if kind else len(compared.player_ids)


def moves_of(compared: Comparison, rows: Iterable[int]) -> list[Move]:
    """Return these rows of a comparison, in their order."""
    chosen = [int(row) for row in rows]
    ids = compared.player_ids[chosen].tolist()
    players: dict[int, Player] = {}
    for part in chunks(ids):
        players.update(Player.objects.only("community", "handle", "name", "country").in_bulk(part))
    columns = (compared.rating_before, compared.rating_after, compared.rank_before, compared.rank_after)
    numbers = [[None if n == NONE else n for n in column[chosen].tolist()] for column in columns]
    listed = zip(ids, *numbers, compared.kinds["tier"][chosen].tolist(), strict=True)
    return [Move(players[pk], *row) for pk, *row in listed if pk in players]
