"""Prediction errors on the games of Halo 2 beside those of the TrueSkill paper, as Markdown tables.

    python scripts/bench/halo.py [--shared ../shared]

The paper's table in section 4.1 has the prediction error of Elo and TrueSkill on all games of a mode, and on the
challenge set: the fifth of the games that the other system considered tightest. Elo has normal performances and K = 24,
and TrueSkill its standard values with the mode's share of draws as draw probability. The published part of the data
has two of the four modes.
"""

import argparse
from pathlib import Path

import numpy as np
from reading import SHARED, our_contests, print_table, read  # puts the library on the path

from ratings.systems import Contest, get_system
from ratings.systems.evaluate.matches import (
    Matches,
    draws_among_tightest,
    predicted_matches,
    prediction_error,
    tightest,
    winning_ratios,
)

# The paper's prediction errors in %: on all games, and on the challenge set.
PAPER = {
    "halo2-headtohead": {"elo": (33.24, 40.57), "trueskill": (32.44, 30.83)},
    "halo2-largeteam": {"elo": (39.49, 44.12), "trueskill": (38.15, 29.94)},
}
TITLES = {"halo2-headtohead": "Head to Head", "halo2-largeteam": "Large Teams"}
OTHER = {"elo": "trueskill", "trueskill": "elo"}
SHARES = (0.1, 0.2, 0.5)
LEAST = (1, 10, 20)


def predictions(contests: list[Contest], n_players: int) -> dict[str, Matches]:
    """Return the predictions of both systems."""
    drawn = np.mean([len(contest.group_sizes) == 1 for contest in contests])
    parameters = {"elo": {"curve": "gaussian"}, "trueskill": {"draw_probability": float(drawn)}}
    return {name: predicted_matches(get_system(name, **of), contests, n_players) for name, of in parameters.items()}


def errors(title: str, found: dict[str, Matches], paper: dict[str, tuple[float, float]]) -> list[list[str]]:
    """Return a row for each system: all games and the challenge set, beside the paper's figures."""
    rows = []
    for name, matches in found.items():
        row = [title, f"`{name}`"]
        for chosen, known in zip((None, tightest(found[OTHER[name]].quality)), paper[name], strict=True):
            decided, of_all = prediction_error(matches, chosen)
            row += [f"{known:.2f}", f"{decided:.2f}", f"{of_all:.2f}"]
        rows.append(row)
    return rows


def matchmaking(title: str, found: dict[str, Matches]) -> list[list[str]]:
    """Return a row for each system: draws among the tightest games, and distances of winning ratios."""
    rows = []
    for name, matches in found.items():
        draws = draws_among_tightest(matches, np.array(SHARES))
        ratios = winning_ratios(matches, tightest(matches.quality, 0.5), LEAST)
        cells = [f"{100 * share:.1f}" for share in draws] if draws is not None else [""] * len(SHARES)
        cells += [f"{each.deviation:.1f} ({each.players:,})" if each.players else "" for each in ratios]
        rows.append([title, f"`{name}`", *cells])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder with data/")
    options = parser.parse_args()
    first, second = [], []
    for collection, title in TITLES.items():
        contests, handles = our_contests(read(options.shared, collection))
        found = predictions(contests, len(handles))
        first += errors(title, found, PAPER[collection])
        second += matchmaking(title, found)
    of_games = ["paper, %", "decided, %", "all, %"]
    head = ["mode", "system", *(f"{which}: {each}" for which in ("all games", "challenge set") for each in of_games)]
    print_table(head, first, left=2)
    draws = [f"draws in the tightest {share * 100:.0f} %, %" for share in SHARES]
    print()
    print_table(["mode", "system", *draws, *(f"{least}+ games" for least in LEAST)], second, left=2)


if __name__ == "__main__":
    main()
