"""The outcome of a two-sided game in words."""

from __future__ import annotations

from django.utils.translation import pgettext


def outcome_words() -> dict[int, str]:
    """Return the word for each outcome: 1, 0 or -1 for a win, draw or loss."""
    return {1: pgettext("game", "won"), 0: pgettext("game", "drawn"), -1: pgettext("game", "lost")}


def outcome_word(outcome: int) -> str:
    """Return the word for an outcome."""
    return outcome_words()[outcome]
