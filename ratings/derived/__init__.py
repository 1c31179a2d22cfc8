"""
Numbers derived from a published run that take too long to compute while a visitor waits.

A worker computes them after each run and stores them with it. Each module of this package has a `DERIVATION`;
`ratings.publishing.deriving` lists and computes them all. Pages read the result with `derived(snapshot, DERIVATION)`,
and say that it is being computed if there is none yet. Everything here can be computed again at any time.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ratings.models import Derived

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from ratings.queries.snapshot import SeriesSnapshot

#: NumPy arrays and JSON values by name.
Content: TypeAlias = "dict[str, Any]"

_VALUES = "values"


@dataclass(frozen=True, slots=True)
class Derivation:
    """
    One kind of derived numbers.

    compute
        Computes the content from a series as of its current run. A worker calls it inside `consistent_read`.
    applies
        Whether a series has such numbers; leagues, for example, need a scheme with league rules.
    max_age
        How long the content of an older run remains valid. It is kept until newer content exists. 0 means that
        every run needs its own.
    version
        Increase it when the meaning of the content changes, so that workers compute all content again.
    """

    kind: str
    compute: Callable[[SeriesSnapshot], Content]
    applies: Callable[[SeriesSnapshot], bool] = lambda _: True
    max_age: timedelta = timedelta(0)
    version: int = 1

    @property
    def stored_kind(self) -> str:
        """Name in the database, with the version."""
        return f"{self.kind}.{self.version}"


def derived(snapshot: SeriesSnapshot, derivation: Derivation) -> Content | None:
    """Return the content for this run and scheme; None if it has not been computed or the computation failed."""
    if snapshot.run is None or snapshot.scheme is None:
        return None
    rows = Derived.objects.filter(run=snapshot.run, scheme=snapshot.scheme, kind=derivation.stored_kind, error="")
    row = rows.values_list("pk", "made_at").first()
    return _content(*row) if row is not None else None


def newest_derived(snapshot: SeriesSnapshot, derivation: Derivation) -> tuple[Content, Derived] | None:
    """Return the newest content of a kind, possibly from an older run, and its row without the stored bytes."""
    rows = Derived.objects.filter(series=snapshot.series, kind=derivation.stored_kind, error="")
    row = rows.select_related("run", "scheme").defer("content").order_by("-id").first()
    return (_content(row.pk, row.made_at), row) if row is not None else None


@lru_cache(maxsize=24)
def _content(pk: int, made_at: datetime) -> Content:
    """Return the content of a row. Rows never change, but after restoring a backup, new rows can reuse their ids."""
    return unpack(bytes(Derived.objects.values_list("content", flat=True).get(pk=pk)))


def pack(content: Content) -> bytes:
    """Return the content as bytes; TypeError for values that are neither arrays nor JSON."""
    arrays = {f"array_{name}": value for name, value in content.items() if isinstance(value, np.ndarray)}
    values = {name: value for name, value in content.items() if not isinstance(value, np.ndarray)}
    arrays[_VALUES] = np.frombuffer(json.dumps(values, allow_nan=False).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def unpack(packed: bytes) -> Content:
    """Return the content that `pack` made these bytes from."""
    with np.load(io.BytesIO(packed), allow_pickle=False) as stored:
        values = json.loads(stored[_VALUES].tobytes())
        arrays = {name.removeprefix("array_"): stored[name] for name in stored.files if name != _VALUES}
    return {**values, **arrays}
