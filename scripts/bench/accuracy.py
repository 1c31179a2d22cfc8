"""Accuracy of each system on Codeforces, as a Markdown table.

    python scripts/bench/accuracy.py [--shared ../shared] [--limit N]

Pair inversion (higher is better) and rank deviation (lower is better) follow section 6.2 of the paper, in %, for
players with at least five earlier contests. Log-loss of the win probabilities is in nats (a coin toss has 0.693). The
table compares our systems with the reference implementation in its approximate mode; its beliefs are read before each
round. `manage.py tune` found the tuned parameters on the first tenth of the rounds; they are judged on the rest, as in
the paper.
"""

import argparse
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from reading import SHARED, our_contests, print_table, read, reference_contests, stop

from ratings.systems import SYSTEMS, Beliefs, Contest, RatingSystem, get_system
from ratings.systems.evaluate.metrics import Judge
from ratings.systems.evaluate.tuning import training_size

try:
    import elo_mmr_py as reference
except ImportError:
    stop("the reference is missing: pip install elo-mmr-py (it is in requirements-dev.txt)")

# python manage.py tune ../shared/data/codeforces/contests.jsonl.gz --system NAME
TUNED: dict[str, dict[str, Any]] = {
    "elo-mmr": {"weight_limit": 0.128, "sig_limit": 59.0, "transfer_speed": 0.257},
    "elo-mmr-infinity": {"weight_limit": 0.115, "sig_limit": 61.3},
    "elo-mmx": {"weight_limit": 0.14, "sig_limit": 49.7},
    "codeforces": {"weight": 0.724},
    "topcoder": {"weight_noob": 0.96, "weight_limit": 0.0728, "sig_noob": 372.0},
    "trueskill": {"beta": 2.56, "tau": 0.303, "draw_probability": 0.005},
    "trueskill-spb": {"beta": 4.3, "tau": 0.835, "epsilon": 0.489},
    "glicko": {"drift": 68.2, "sig_noob": 1360.0},
    "glicko2": {"tau": 0.0796, "volatility_noob": 0.00642, "sig_noob": 211.0},
    "elo": {"k_factor": 161.0},
    "kreimeier": {"max_gain": 0.957},
}
# The authors' parameters for Codeforces.
AUTHORS = {"weight_limit": 0.23, "sig_limit": 54.0, "transfer_speed": 0.04}
REFERENCE = "reference"

Figures: TypeAlias = tuple[float, float, float]

# Forked workers inherit these, so contests are read once.
_collection: dict[str, Any] = {}


class Judges:
    """Return judges of all rounds, and of those after the first tenth of the participations."""

    def __init__(self, system: RatingSystem) -> None:
        self.first_of_rest = _collection["training"]
        self.all, self.rest = Judge(system, 5), Judge(system, 5)

    def judge(self, position: int, beliefs: Any, contest: Contest) -> None:
        self.all.judge(beliefs, contest)
        if position >= self.first_of_rest:
            self.rest.judge(beliefs, contest)

    def figures(self) -> list[Figures]:
        """Return pair inversion, rank deviation and log-loss, of all rounds and of the rest."""
        scores = [judge.scores() for judge in (self.all, self.rest)]
        return [(s.pair_inversion or 0.0, s.rank_deviation or 0.0, s.log_loss or 0.0) for s in scores]


def by_us(name: str, parameters: dict[str, Any]) -> list[Figures]:
    contests, handles = _collection["contests"], _collection["handles"]
    system = get_system(name, **parameters)
    beliefs, judges = system.new_beliefs(len(handles)), Judges(system)
    for position, contest in enumerate(contests):
        judges.judge(position, beliefs, contest)
        system.rate_round(beliefs, contest)
    return judges.figures()


def by_reference(mode: str) -> list[Figures]:
    contests, handles = _collection["contests"], _collection["handles"]
    system = get_system("elo-mmr")
    beliefs, judges = Beliefs(len(handles), 1500.0, 350.0), Judges(system)
    rater = reference.Rater(mode)
    for position, (contest, theirs) in enumerate(zip(contests, _collection["theirs"], strict=True)):
        judges.judge(position, beliefs, contest)
        rater.add(theirs)
        if len(contest.group_sizes) > 1:  # the reference skips contests in which all players tie
            ratings = rater.ratings
            rated = [ratings[handles[player]] for player in contest.players.tolist()]
            beliefs.mu[contest.players] = [rating.mu for rating in rated]
            beliefs.sigma[contest.players] = [rating.sig for rating in rated]
            beliefs.count[contest.players] += 1
    return judges.figures()


def work(task: tuple[str, dict[str, Any]]) -> list[Figures]:
    name, parameters = task
    figures = by_reference(parameters["mode"]) if name == REFERENCE else by_us(name, parameters)
    print(f"  {name} {parameters or ''}: {figures[0][0]:.2f} {figures[0][1]:.2f}", file=sys.stderr)
    return figures


def figures_of(lines: Callable[[], Iterable[dict[str, Any]]], tasks: Iterable[Any]) -> list[Any]:
    """Return the figures of each task, computed on all cores, for contests in the form of a collection's lines."""
    contests, handles = our_contests(lines())
    theirs = reference_contests(lines(), reference)
    training = training_size(contests, 0.1)
    _collection.update(contests=contests, handles=handles, theirs=theirs, training=training)
    with multiprocessing.get_context("fork").Pool() as pool:
        return pool.map(work, list(tasks), chunksize=1)


def in_words(figures: Sequence[float]) -> list[str]:
    return [f"{each:.2f}" for each in figures[:2]] + [f"{each:.3f}" for each in figures[2:]]


def codeforces(shared: Path, limit: int | None) -> None:
    lines: list[tuple[str, str, dict[str, Any]]] = [
        ("reference, `mmr-fast`", REFERENCE, {"mode": "mmr-fast"}),
        ("`elo-mmr`, the authors' parameters", "elo-mmr", AUTHORS),
        ("`trueskill-spb`, own gaps", "trueskill-spb", {"own_gaps": True}),
    ]
    for name in SYSTEMS:
        lines.append((f"`{name}`", name, {}))
        if name in TUNED:
            words = ", ".join(f"{key} {value:g}" for key, value in TUNED[name].items())
            lines.append((f"`{name}`, tuned: {words}", name, TUNED[name]))
    figures = figures_of(
        lambda: read(shared, "codeforces", limit), [(name, parameters) for _, name, parameters in lines]
    )
    head = ["system", "pairs in order, %", "rank deviation, %", "log-loss", "rest: pairs, %", "ranks, %", "log-loss"]
    rows = [
        [title, *in_words(all_), *in_words(rest)] for (title, _, _), (all_, rest) in zip(lines, figures, strict=True)
    ]
    print_table(head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder with data/")
    parser.add_argument("--limit", type=int, help="only the first rounds of Codeforces")
    options = parser.parse_args()
    codeforces(options.shared, options.limit)


if __name__ == "__main__":
    main()
