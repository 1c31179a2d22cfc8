"""The result of a game in one line, as tables of games write it."""

from __future__ import annotations

#: Between narrow spaces, the dash does not run into the minus sign of a negative score.
_SPACED_DASH = "\u202f–\u202f"
_MINUS = "\u2212"


def score_line(first: str, second: str) -> str:
    """Return two scores joined by a dash: "3–1", or "7 – −1" with a negative score."""
    scores = [score.replace("-", _MINUS) for score in (first, second)]
    return (_SPACED_DASH if any(_MINUS in score for score in scores) else "–").join(scores)
