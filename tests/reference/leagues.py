"""Leagues of one player after another, in plain Python and exact fractions.

Written from "Promotion" in the StarCraft II ladder analysis and section 9 of the specification; it shares no code with
the fast version.
"""

from collections.abc import Sequence
from fractions import Fraction


def leagues_of_player(
    shown: Sequence[int],
    sigma: Sequence[float],
    thresholds: Sequence[int],
    *,
    contests: int,
    margin: int,
    provisional_contests: int,
    provisional_sigma: float | None,
) -> list[int | None]:
    """The league after each contest, from 0 (lowest); None while the player is provisional."""
    leagues: list[int | None] = []
    league: int | None = None
    for number in range(1, len(shown) + 1):
        last = shown[max(0, number - contests) : number]
        mean = Fraction(sum(last), len(last))
        is_uncertain = provisional_sigma is not None and sigma[number - 1] > provisional_sigma
        if number < provisional_contests or is_uncertain:
            league = None
        elif league is None:
            league = sum(mean >= threshold for threshold in thresholds)
        else:
            while league < len(thresholds) and mean >= thresholds[league]:
                league += 1
            while league > 0 and mean < thresholds[league - 1] - margin:
                league -= 1
        leagues.append(league)
    return leagues
