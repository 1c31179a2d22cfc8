"""Answers to questions that `contests` cannot answer itself; the packages above register them when the site starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.formats import ParsedContest
    from contests.models import Contest


class ProjectedEffects(Protocol):
    """
    Compute what the standings of a file would do to ratings; nothing is stored.

    contest
        A draft.
    players
        Shape (rows,): who each row of the file is, None for a new player.
    at_once
        Whether someone waits: what takes long is then left out, and the answer has `is_left_out`.

    The answer is JSON values for the pages of the package that registered it.
    """

    def __call__(
        self, contest: Contest, parsed: ParsedContest, players: Sequence[int | None], *, at_once: bool
    ) -> dict[str, Any]: ...


class IneligiblePlayers(Protocol):
    """
    Return the ids of the players whose rating, as shown when the contest begins, lies outside the contest's limits.

    Called inside the transaction that finalizes a contest with rating limits; its rows are stored by then.
    """

    def __call__(self, contest: Contest) -> set[int]: ...


_projected_effects: ProjectedEffects | None = None
_ineligible_players: IneligiblePlayers | None = None


def register_projected_effects(provider: ProjectedEffects) -> None:
    """Set what computes the effects of a file; the last one registered counts."""
    global _projected_effects
    _projected_effects = provider


def register_ineligible_players(provider: IneligiblePlayers) -> None:
    """Set what decides about rating limits; the last one registered counts."""
    global _ineligible_players
    _ineligible_players = provider


def projected_effects(
    contest: Contest, parsed: ParsedContest, players: Sequence[int | None], *, at_once: bool
) -> dict[str, Any] | None:
    """Return what a file would do to ratings; None where nothing computes it."""
    if _projected_effects is None:
        return None
    return _projected_effects(contest, parsed, players, at_once=at_once)


def ineligible_players(contest: Contest) -> set[int]:
    """Return the players outside a contest's rating limits; no one where nothing decides it."""
    return set() if _ineligible_players is None else _ineligible_players(contest)
