"""Functions that `contests` needs but cannot implement; the packages above register them when the site starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.formats import ParsedContest
    from contests.models import Contest


class RatingsPreview(Protocol):
    """
    Compute what the standings of a file would do to ratings, and store nothing.

    contest
        A draft.
    players
        Shape (rows,): the player id of each row, None for a new player.
    at_once
        Whether someone is waiting: then the slow parts are left out, and the result has `is_left_out`.

    The result consists of JSON values for the pages of the package that registered the function.
    """

    def __call__(
        self, contest: Contest, parsed: ParsedContest, players: Sequence[int | None], *, at_once: bool
    ) -> dict[str, Any]: ...


class IneligiblePlayers(Protocol):
    """
    Return the ids of the players whose displayed rating just before the contest is outside its limits.

    Called in the transaction that finalizes a contest with rating limits, after its rows are stored.
    """

    def __call__(self, contest: Contest) -> set[int]: ...


class DurationCounts(Protocol):
    """Return whether the ratings of a series depend on how long its contests took, and therefore on their starts."""

    def __call__(self, series_id: int) -> bool: ...


_ratings_preview: RatingsPreview | None = None
_duration_counts: DurationCounts | None = None
_ineligible_players: IneligiblePlayers | None = None


def register_ratings_preview(provider: RatingsPreview) -> None:
    """Set the function that previews the ratings of a file; it replaces an earlier one."""
    global _ratings_preview
    _ratings_preview = provider


def register_ineligible_players(provider: IneligiblePlayers) -> None:
    """Set the function that applies rating limits; it replaces an earlier one."""
    global _ineligible_players
    _ineligible_players = provider


def register_duration_counts(provider: DurationCounts) -> None:
    """Set the function that says whether durations count; it replaces an earlier one."""
    global _duration_counts
    _duration_counts = provider


def duration_counts(series_id: int) -> bool:
    """Return whether ratings depend on the duration of contests, False if no function is registered."""
    return _duration_counts is not None and _duration_counts(series_id)


def ratings_preview(
    contest: Contest, parsed: ParsedContest, players: Sequence[int | None], *, at_once: bool
) -> dict[str, Any] | None:
    """Return what a file would do to ratings, None if no function is registered."""
    if _ratings_preview is None:
        return None
    return _ratings_preview(contest, parsed, players, at_once=at_once)


def ineligible_players(contest: Contest) -> set[int]:
    """Return the players outside a contest's rating limits, none if no function is registered."""
    return set() if _ineligible_players is None else _ineligible_players(contest)
