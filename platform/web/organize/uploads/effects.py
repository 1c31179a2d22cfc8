"""What the standings of a file would do to ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ratings.queries.snapshot import as_it_will_be
from web.shared.projected_rows import effects_as_json, effects_of_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.formats import ParsedContest
    from contests.models import Contest
    from ratings.queries.snapshot import SeriesSnapshot


def projected_effects(
    contest: Contest, parsed: ParsedContest, players: Sequence[int | None], *, at_once: bool
) -> dict[str, Any]:
    """Rate the file's contest as if it were final, and say by which run and rules the numbers are."""
    snapshot = as_it_will_be(contest.series)
    effects = effects_of_file(contest, parsed, players, snapshot, whole=not at_once)
    return {**effects_as_json(effects), "as_of": as_of(snapshot)}


def as_of(snapshot: SeriesSnapshot) -> list[str]:
    """Return what shown numbers depend on: the run, and the version of the rules."""
    return [str(snapshot.run.uid) if snapshot.run else "", str(snapshot.scheme.uid) if snapshot.scheme else ""]
