"""What the standings of a file would do to ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ratings.queries.snapshot import as_it_will_be
from web.shared.projected_rows import effects_as_json, effects_of_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.formats import ParsedContest
    from contests.models import Contest
    from ratings.queries.snapshot import Shown


def projected_effects(
    contest: Contest, parsed: ParsedContest, players: Sequence[int | None], *, at_once: bool
) -> dict[str, Any]:
    """Rate the file's contest as if it were final, and say by which run and rules the numbers are."""
    view = as_it_will_be(contest.series)
    effects = effects_of_file(contest, parsed, players, view, whole=not at_once)
    return {**effects_as_json(effects), "as_of": as_of(view)}


def as_of(view: Shown) -> list[str]:
    """Return what shown numbers depend on: the run, and the version of the rules."""
    return [str(view.run.uid) if view.run else "", str(view.scheme.uid) if view.scheme else ""]
