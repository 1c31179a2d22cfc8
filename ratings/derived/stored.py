"""Reading derived numbers: by pages, through this process's memory."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ratings.derived.base import unpack
from ratings.models import Derived

if TYPE_CHECKING:
    from datetime import datetime

    from ratings.derived.base import Content, Derivation
    from ratings.queries.snapshot import SeriesSnapshot


def derived(snapshot: SeriesSnapshot, derivation: Derivation) -> Content | None:
    """Return what was derived from exactly what is shown; None while it has not been computed, or could not be."""
    if snapshot.run is None or snapshot.scheme is None:
        return None
    rows = Derived.objects.filter(run=snapshot.run, scheme=snapshot.scheme, kind=derivation.stored_kind, error="")
    row = rows.values_list("pk", "made_at").first()
    return _content(*row) if row is not None else None


def newest_derived(snapshot: SeriesSnapshot, derivation: Derivation) -> tuple[Content, Derived] | None:
    """Return the newest content of a kind that rests, be it of an older run, with its row (run, when, how long)."""
    rows = Derived.objects.filter(series=snapshot.series, kind=derivation.stored_kind, error="")
    row = rows.select_related("run", "scheme").defer("content").order_by("-id").first()
    return (_content(row.pk, row.made_at), row) if row is not None else None


@lru_cache(maxsize=24)
def _content(pk: int, made_at: datetime) -> Content:
    """Return the content of a row; rows never change, but a restored backup gives their ids to other ones."""
    return unpack(bytes(Derived.objects.values_list("content", flat=True).get(pk=pk)))
