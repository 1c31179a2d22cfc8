"""Accuracy of each system on contests generated as in section 6.1 of the Elo-MMR paper, as Markdown tables.

    python scripts/bench/synthetic.py [--seed 2021] [--no-reference]

The paper's text and its table 1 describe different contests. The text says that all 10,000 players compete in all 50
rounds; the table gives 2,500 participants per contest. Each reading has a table. Skills and performances are normal
(mean 1500 and 300; 200), and each skill changes by a normal amount (35) after each round. The paper calls the three
numbers variances, but only as standard deviations do they reproduce its figures.

Pair inversion (higher is better) and rank deviation (lower is better) follow section 6.2, in %, for players with at
least five earlier contests. In the second reading, the compiled reference rates the same contests in its exact modes;
their time is quadratic in the field, so all 10,000 would take it many minutes.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from accuracy import REFERENCE, figures_of, in_words
from reading import our_contests, print_table  # puts the library on the path

from ratings.systems import SYSTEMS, backtest, get_system

PLAYERS, CONTESTS = 10_000, 50
# The last line of the paper's table 2; its TrueSkill is trueskill-spb.
PAPER = {
    "elo-mmr": ("81.7", "12.8"),
    "elo-mmx": ("81.7", "12.8"),
    "codeforces": ("81.7", "12.9"),
    "topcoder": ("81.7", "12.8"),
    "trueskill-spb": ("81.3", "13.1"),
}
MODES = {
    "elo-mmr": "mmr",
    "elo-mmx": "mmx",
    "codeforces": "cfsys",
    "topcoder": "tcsys",
    "trueskill-spb": "trueskill",
    "glicko": "glicko",
}


def synthetic(seed: int, players: int, field: int, contests: int) -> Iterator[dict[str, Any]]:
    """Yield contests of ``field`` players drawn from ``players``, a week apart, in the form of a collection's lines."""
    random = np.random.default_rng(seed)
    skill = random.normal(1500.0, 300.0, players)
    for number in range(contests):
        chosen = np.sort(random.choice(players, field, replace=False))
        performance = skill[chosen] + random.normal(0.0, 200.0, field)
        standings = [[f"p{player}", place] for place, player in enumerate(chosen[np.argsort(-performance)], start=1)]
        yield {"end_time": str(np.datetime64("2020-01-06") + 7 * number), "standings": standings}
        skill += random.normal(0.0, 35.0, players)


def table(seed: int, field: int, *, with_reference: bool) -> None:
    """Print the figures of all systems beside the paper's, and beside the reference's on the same contests."""
    modes = MODES if with_reference else {}
    tasks = [(name, {}) for name in SYSTEMS] + [(REFERENCE, {"mode": mode}) for mode in modes.values()]
    figures = [all_[:2] for all_, _ in figures_of(lambda: synthetic(seed, PLAYERS, field, CONTESTS), tasks)]
    ours = dict(zip(SYSTEMS, figures, strict=False))
    theirs = dict(zip(modes, figures[len(SYSTEMS) :], strict=True))
    head = ["system", "pairs in order, %", "rank deviation, %", "paper: pairs, %", "paper: ranks, %"]
    rows = [[f"`{name}`", *in_words(ours[name]), *PAPER.get(name, ("", ""))] for name in SYSTEMS]
    if with_reference:
        head += ["reference: pairs, %", "reference: ranks, %"]
        rows = [
            [*row, *(in_words(theirs[name]) if name in theirs else ("", ""))]
            for name, row in zip(SYSTEMS, rows, strict=True)
        ]
    print_table(head, rows)


def spread(system: str, seeds: range) -> None:
    """Print how much the figures of a system depend on the seed, with all players in each contest."""
    figures = []
    for seed in seeds:
        contests, handles = our_contests(synthetic(seed, PLAYERS, PLAYERS, CONTESTS))
        scores = backtest(get_system(system), contests, len(handles))
        figures.append((scores.pair_inversion, scores.rank_deviation))
    columns = np.array(figures, dtype=np.float64).T
    words = [f"{column.min():.2f} to {column.max():.2f} (mean {column.mean():.2f})" for column in columns]
    print(f"\n`{system}` with the seeds {seeds[0]} to {seeds[-1]}: pairs {words[0]}, ranks {words[1]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=2021, help="the same seed gives the same contests (default 2021)")
    parser.add_argument("--no-reference", action="store_true", help="leave out the compiled reference")
    options = parser.parse_args()
    print(f"All {PLAYERS:,} players in each of {CONTESTS} contests, as in the text of section 6.1\n")
    table(options.seed, PLAYERS, with_reference=False)
    spread("elo-mmr", range(1, 21))
    print(f"\n2,500 of {PLAYERS:,} players in each of {CONTESTS} contests, as in table 1\n")
    table(options.seed, 2500, with_reference=not options.no_reference)


if __name__ == "__main__":
    main()
