"""
Numbers that follow from a published run but take longer than a page may: made by a worker, kept with the run.

Each module has a `DERIVATION`. A page asks for the content by `derived(view, kind)`, and says that it is being computed
where there is none yet. Content is a dictionary of arrays and of plain values; nothing in it is a source of truth.
"""

from __future__ import annotations

from ratings.derived.base import Content, Derivation
from ratings.derived.stored import derived, newest_derived

__all__ = ["Content", "Derivation", "derivations", "derived", "newest_derived"]


def derivations() -> tuple[Derivation, ...]:
    """Return all kinds, in the order in which they are computed: what is quick comes first."""
    from ratings.derived import accuracy, leagues, movement, movers, records, season
    from ratings.derived import previous_run as before

    return (
        before.DERIVATION,
        movers.DERIVATION,
        movement.DERIVATION,
        records.DERIVATION,
        leagues.DERIVATION,
        season.DERIVATION,
        accuracy.DERIVATION,
    )
