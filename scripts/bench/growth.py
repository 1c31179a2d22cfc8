"""Cost per participant as contests grow, for every system, as a Markdown table.

    python scripts/bench/growth.py [--runs 3] [--small 1000] [--large 100000]

The same players take part in two contests, and the second one is timed. Skills are normal with a deviation of 300,
performances deviate by 200, and one player in ten ties. Small and large contests take turns; times are medians.
The important figure is the ratio of the costs per participant.
"""

import argparse
import statistics
import sys

import numpy as np
from reading import print_table, stop, timed  # puts the library on the path

from ratings.systems import SYSTEMS, Contest, get_system

ASKED = 1.5


def contests(n: int) -> tuple[Contest, Contest]:
    """Return two contests of the same n players."""
    random = np.random.default_rng(n)
    skill = random.normal(0.0, 300.0, n)
    scores = [skill + random.normal(0.0, 200.0, n) for _ in range(2)]
    ranks = []
    for score in scores:
        rank = np.empty(n, dtype=np.int64)
        rank[np.argsort(-score)] = np.arange(n)
        ranks.append(rank - (rank % 10 == 9))
    return Contest(np.arange(n), ranks[0], day=0.0), Contest(np.arange(n), ranks[1], day=1.0)


def seconds(name: str, n: int, repeats: int) -> float:
    """Return the median time of the second contest over several turns from the same beliefs."""
    system = get_system(name)
    first, second = contests(n)
    beliefs = system.new_beliefs(n)
    system.rate_round(beliefs, first)
    taken = []
    for _ in range(repeats):
        copy = beliefs.copy()
        taken.append(timed(system.rate_round, copy, second)[0])
    return statistics.median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3, help="repetitions of each (default 3)")
    parser.add_argument("--small", type=int, default=1_000)
    parser.add_argument("--large", type=int, default=100_000)
    options = parser.parse_args()
    if options.runs < 1 or not 2 <= options.small < options.large:
        stop("give --runs of at least 1, and --small at least 2 and below --large")
    rows = []
    for name in SYSTEMS:
        small, large = [], []
        for run in range(options.runs):
            small.append(seconds(name, options.small, 11) / options.small)
            large.append(seconds(name, options.large, 1) / options.large)
            print(f"  {name}, run {run + 1}: {small[-1] * 1e6:.2f} and {large[-1] * 1e6:.2f} µs", file=sys.stderr)
        ours = [statistics.median(each) * 1e6 for each in (small, large)]
        rows.append([f"`{name}`", *(f"{each:.2f}" for each in ours), f"{ours[1] / ours[0]:.2f}"])
    head = ["system", f"µs a participant, n = {options.small:,}", f"n = {options.large:,}", f"ratio (asked: {ASKED})"]
    print_table(head, rows)


if __name__ == "__main__":
    main()
