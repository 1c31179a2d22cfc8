"""Two runs side by side, as a page and as a file; and going back to the earlier one."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from contests.bulk import chunks
from contests.changes import propose
from contests.errors import ContestError
from contests.formats.table.escape import csv_safe
from contests.matching.name_index import matching
from contests.models import Player
from ratings.database import consistent_read
from ratings.models import Run, Scheme
from ratings.publishing.changes import TakeOutCauses
from ratings.publishing.planning import estimate_seconds
from ratings.publishing.restoring import read_restoration
from ratings.publishing.rolling_back import ask_roll_back, restorable
from ratings.publishing.undoing import MOST_CAUSES, causes_since
from ratings.queries.roll_backs import effect_of
from ratings.queries.run_comparison import NONE, Comparison, compare
from ratings.queries.snapshot import as_of
from ratings.systems import get_system
from web.shared.access import actor, organizer_page, own_series, primary_key
from web.shared.form_fields import ReasonForm
from web.shared.params import page_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest

    from contests.models import Series

MOVES_PER_PAGE = 100
#: A preview shows so many of the largest changes; the page of the comparison has them all.
LARGEST = 20
#: Up to so many players a system that moves everybody is tried out for the preview; beyond, the roll-back itself shows.
TRIED_PLAYERS = 5_000
#: What can be chosen from, with its words.
KINDS = {
    "": "All",
    "up": "Up",
    "down": "Down",
    "tier": "Another tier",
    "entered": "New",
    "left": "Gone",
    "rank": "Rank only",
}
CSV_COLUMNS = ("handle", "rating_from", "rating_to", "change", "rank_from", "rank_to", "tier_from", "tier_to")


@dataclass(frozen=True, slots=True)
class Move:
    """One player in a comparison, as shown; None where there is no rating."""

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
        """Ranks won; negative if lost."""
        return None if self.rank_before is None or self.rank_after is None else self.rank_before - self.rank_after


@organizer_page
def comparison(request: HttpRequest, slug: str) -> HttpResponse:
    """Show who moved between two runs."""
    series = own_series(request, slug)
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
            return render(request, "organize/runs/compare.html", context, status=404)
        compared = _compared(series, first, second, current)
        kind, search = text_of(request, "kind"), text_of(request, "q")
        page, status = page_of(request, _chosen(compared, kind, search), MOVES_PER_PAGE)
        numbers = {"from": first.number, "to": second.number}

        def query(kind: str) -> str:
            return urlencode(numbers | {name: text for name, text in (("kind", kind), ("q", search)) if text})

        context |= {
            "compared": compared,
            "before": f"Run {first.number}",
            "after": f"Run {second.number}",
            "kinds": [(name, words, _count(compared, name), query(name)) for name, words in KINDS.items()],
            "kind": kind if kind in KINDS else "",
            "csv_query": query(kind if kind in KINDS else ""),
            "search": search,
            "page": page,
            "moves": _moves(compared, page.object_list),
        }
        return render(request, "organize/runs/compare.html", context, status=status)


@organizer_page
def comparison_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Give the rows that the page would show, all of them, as a file."""
    series = own_series(request, slug)
    with consistent_read():
        first, second, current = _two_runs(request, series)
        if first is None or second is None or current is None:
            raise Http404("There are no two such runs.")
        compared = _compared(series, first, second, current)
        moves = _moves(compared, _chosen(compared, text_of(request, "kind"), text_of(request, "q")))
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for move in moves:
        tiers = [
            "" if rating is None else csv_safe(snapshot.tier(rating).name)
            for snapshot, rating in ((compared.before, move.before), (compared.after, move.after))
        ]
        numbers = (move.before, move.after, move.change, move.rank_before, move.rank_after)
        writer.writerow([csv_safe(move.player.handle), *numbers, *tiers])
    name = f"{series.slug}-run-{first.number}-to-{second.number}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(file.getvalue(), content_type="text/csv; charset=utf-8", headers=headers)


@organizer_page
def roll_back(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show what going back to a run would do, and let it be done for a reason."""
    series = own_series(request, slug)
    form = ReasonForm(request.POST or None)
    problem = ""
    if request.method == "POST" and form.is_valid():
        keys = request.POST.getlist("undo")[:MOST_CAUSES]
        try:
            if keys:
                return propose(TakeOutCauses(series.pk, number, keys, reason=form.cleaned_data["reason"]))
            ask_roll_back(series.pk, number, reason=form.cleaned_data["reason"], actor=actor(request))
        except ContestError as error:
            if keys:
                form.add_error(None, str(error))
            else:
                problem = str(error)
        else:
            return redirect("organize:progress", series.slug)
    with consistent_read():
        context = _roll_back_context(series, number)
    context |= {"series": series, "number": number, "form": form, "undo": request.POST.getlist("undo")}
    context["problem"] = problem or context["problem"]
    status = 409 if context["problem"] else 422 if form.is_bound and form.errors else 200
    return render(request, "organize/runs/roll_back.html", context, status=status)


def _roll_back_context(series: Series, number: int) -> dict[str, object]:
    """Return what a roll-back would do, or why it is not possible."""
    current = Run.objects.current(series.pk)
    if number >= 2**31 or not Run.objects.filter(series=series, number=number).exists():
        raise Http404(f"{series.slug} has no run {number}.")
    try:
        restored = restorable(series.pk, number)
        _try_out(restored)
    except ContestError as error:
        return {"problem": str(error), "current": current}
    if current is None:
        return {"problem": "Nothing has been published yet.", "current": current}
    compared = _compared(series, current, restored, current)
    effect, causes = effect_of(series, restored), causes_since(restored)
    return {
        "problem": "",
        "current": current,
        "restored": restored,
        "effect": effect,
        "causes": causes[:MOST_CAUSES],
        "causes_left_out": max(0, len(causes) - MOST_CAUSES),
        "compared": compared,
        "moves": _moves(compared, compared.rows()[:LARGEST]),
        "seconds": estimate_seconds(series.pk, 0, changes=effect.changes),
        "forgets_scheme": restored.scheme_id != current.scheme_id and not restored.scheme.rates_alike(current.scheme),
    }


def _try_out(restored: Run) -> None:
    """Raise ContestError if a roll-back would, where that depends on numbers and they are computed soon."""
    scheme = restored.scheme
    if get_system(scheme.system, **scheme.parameters).needs_pool and restored.player_count <= TRIED_PLAYERS:
        read_restoration(restored)


def _two_runs(request: HttpRequest, series: Series) -> tuple[Run | None, Run | None, Run | None]:
    """Return the published runs that `?from=` and `?to=` name (by default the last two), and the current one."""
    current = Run.objects.current(series.pk)
    newest = current.number if current is not None else 0
    second = primary_key(text_of(request, "to")) if text_of(request, "to") else newest
    published = Run.objects.published().filter(series=series).select_related("scheme")
    earlier = published.filter(number__lt=min(second, 2**31 - 1)).order_by("-number")
    if text_of(request, "from"):
        earlier = published.filter(number=min(primary_key(text_of(request, "from")), 2**31 - 1))
    return earlier.first(), published.filter(number=min(second, 2**31 - 1)).first(), current


def _compared(series: Series, first: Run, second: Run, current: Run) -> Comparison:
    newest = Scheme.objects.newest(series.pk)
    return compare(as_of(series, first, newest), as_of(series, second, newest), current)


def _chosen(compared: Comparison, kind: str, search: str) -> list[int]:
    among = None
    if search:
        among = list(Player.objects.filter(matching(search)).values_list("pk", flat=True))
    return compared.rows(kind=kind, among=among).tolist()


def _count(compared: Comparison, kind: str) -> int:
    return compared.counts[kind] if kind else len(compared.player_ids)


def _moves(compared: Comparison, rows: Iterable[int]) -> list[Move]:
    chosen = [int(row) for row in rows]
    ids = compared.player_ids[chosen].tolist()
    players: dict[int, Player] = {}
    for part in chunks(ids):
        players.update(Player.objects.only("handle", "name").in_bulk(part))
    columns = (compared.rating_before, compared.rating_after, compared.rank_before, compared.rank_after)
    numbers = [[None if n == NONE else n for n in column[chosen].tolist()] for column in columns]
    listed = zip(ids, *numbers, compared.kinds["tier"][chosen].tolist(), strict=True)
    return [Move(players[pk], *row) for pk, *row in listed if pk in players]
