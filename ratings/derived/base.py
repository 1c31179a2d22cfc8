"""What a derivation is, and how its content becomes bytes."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from ratings.queries.snapshot import SeriesSnapshot

#: Arrays by name, and plain values (what JSON knows) by name.
Content: TypeAlias = "dict[str, Any]"

_VALUES = "values"


@dataclass(frozen=True, slots=True)
class Derivation:
    """
    One kind of numbers.

    applies
        Whether a series has them at all: its scheme may not want them.
    compute
        Content from a series as of its current run; called in a snapshot, in a worker.
    rests
        0: made for every run. Longer: an older run's stay good for so long, and are kept until newer ones are made.
    version
        Raised when the meaning of the content changes, so that what was made before is made again.
    """

    kind: str
    compute: Callable[[SeriesSnapshot], Content]
    applies: Callable[[SeriesSnapshot], bool] = lambda _: True
    rests: timedelta = timedelta(0)
    version: int = 1

    @property
    def stored_kind(self) -> str:
        return f"{self.kind}.{self.version}"


def pack(content: Content) -> bytes:
    """Return arrays and values as one block of bytes; TypeError for values that JSON does not know."""
    arrays = {f"array_{name}": value for name, value in content.items() if isinstance(value, np.ndarray)}
    values = {name: value for name, value in content.items() if not isinstance(value, np.ndarray)}
    arrays[_VALUES] = np.frombuffer(json.dumps(values, allow_nan=False).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def unpack(packed: bytes) -> Content:
    """Return what `pack` was given."""
    with np.load(io.BytesIO(packed), allow_pickle=False) as stored:
        values = json.loads(stored[_VALUES].tobytes())
        arrays = {name.removeprefix("array_"): stored[name] for name in stored.files if name != _VALUES}
    return {**values, **arrays}
