"""Measure whether losing on purpose pays, and draw docs/figures/farming.svg (Elo-MMR paper, section 5.1).

    python scripts/farming.py

A newcomer of high skill meets the same twenty opponents in each contest, and performances deviate by 200. After five
contests, the newcomer comes last on purpose in some contests, and then plays honestly again. An honest twin has the
same performances in all other contests and throws none. The gain is how far the player's rating rises above the twin's
afterwards: the mean over twelve worlds and over the ten consecutive contests with the largest mean. Its unit is the
deviation of the opponents' ratings, because systems have different units.

The opponents have settled ratings and keep them. The paper's theorem 5.5 holds them fixed too; otherwise a thrown
contest would also raise their ratings. The ladder is left out, because its positions are not ratings. The seeds are
fixed, so the same code gives the same numbers.
"""

import argparse
import sys
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import matplotlib as mpl  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib import pyplot as plt  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from ratings.systems import SYSTEMS, Beliefs, Contest, RatingSystem, get_system  # noqa: E402

Floats: TypeAlias = NDArray[np.float64]

FIGURE = ROOT / "docs" / "figures" / "farming.svg"
EVERYONE = np.arange(21)
PLAYER, OPPONENTS = EVERYONE[:1], EVERYONE[1:]
SKILLS = np.concatenate([[2300.0], np.linspace(1100.0, 1900.0, len(OPPONENTS))])
SETTLING, HONEST, AFTERWARDS, WORLDS = 30, 5, 30, 12
THROWN = (1, 2, 4, 8)
DRAWN, STEADY = 4, 10
# Glickman recommends a tau from 0.3 to 1.2; the default is 0.5.
LINES = [(name, name, {}) for name in SYSTEMS if not SYSTEMS[name].has_positions]
LINES.insert([name for _, name, _ in LINES].index("glicko2") + 1, ("glicko2, tau 1.2", "glicko2", {"tau": 1.2}))
COLOURS = {
    "topcoder": "#d55e00",
    "glicko2, tau 1.2": "#0072b2",
    "glicko2": "#56b4e9",
    "elo-mmr": "#009e73",
    "codeforces": "#4d4d4d",
}


def performances(world: int) -> Floats:
    """Return everyone's performances in all contests of a world, shape (contests, 21)."""
    contests = SETTLING + HONEST + max(THROWN) + AFTERWARDS
    return SKILLS + np.random.default_rng(world).normal(0.0, 200.0, (contests, len(SKILLS)))


def settled(system: RatingSystem, contests: Floats) -> Beliefs:
    """Return beliefs about a newcomer, and about opponents who have met in these contests."""
    beliefs = system.new_beliefs(len(EVERYONE))
    for number, contest in enumerate(contests):
        system.rate_round(beliefs, Contest(OPPONENTS, -contest[OPPONENTS], day=float(number)))
    return beliefs


def ratings(system: RatingSystem, settled_beliefs: Beliefs, contests: Floats, thrown: int) -> Floats:
    """Return the player's rating after each contest; ``thrown`` of them, after the first five, are thrown."""
    beliefs = settled_beliefs.copy()
    known = beliefs.pack(OPPONENTS)
    result = np.empty(len(contests))
    for number, contest in enumerate(contests):
        is_thrown = HONEST <= number < HONEST + thrown
        performance = np.where((EVERYONE == 0) & is_thrown, contest.min() - 1.0, contest)
        system.rate_round(beliefs, Contest(EVERYONE, -performance, day=float(SETTLING + number)))
        beliefs.unpack(OPPONENTS, known)
        result[number] = beliefs.mu[PLAYER[0]]
    return result


def leads(system: RatingSystem) -> dict[int, Floats]:
    """Return the mean lead over the honest twin after each contest, by the number of thrown contests."""
    sums = {thrown: np.zeros(HONEST + max(THROWN) + AFTERWARDS) for thrown in THROWN}
    for world in range(WORLDS):
        contests = performances(world)
        beliefs = settled(system, contests[:SETTLING])
        unit = beliefs.mu[OPPONENTS].std()
        honest = ratings(system, beliefs, contests[SETTLING:], 0)
        for thrown, total in sums.items():
            total += (ratings(system, beliefs, contests[SETTLING:], thrown) - honest) / unit
    return {thrown: total / WORLDS for thrown, total in sums.items()}


def gain(lead: Floats, thrown: int) -> float:
    """Return the largest mean lead over ten consecutive contests after the thrown ones."""
    return float(np.convolve(lead[HONEST + thrown :], np.full(STEADY, 1.0 / STEADY), mode="valid").max())


def print_table(found: dict[str, dict[int, Floats]]) -> None:
    head = ["system", *(f"{thrown} thrown" for thrown in THROWN), "most per thrown contest"]
    print(f"| {' | '.join(head)} |\n| --- |{' ---: |' * (len(head) - 1)}")
    for label, of_system in found.items():
        gains = {thrown: gain(lead, thrown) for thrown, lead in of_system.items()}
        most = max(value / thrown for thrown, value in gains.items())
        print(f"| `{label}` | {' | '.join(f'{value:+.2f}' for value in (*gains.values(), most))} |")


def draw(found: dict[str, dict[int, Floats]]) -> None:
    """Draw the leads with four thrown contests."""
    figure, axes = plt.subplots(figsize=(7.2, 3.8), layout="constrained")
    at = np.arange(1, HONEST + max(THROWN) + AFTERWARDS + 1)
    axes.axvspan(HONEST + 0.5, HONEST + DRAWN + 0.5, color="#f0f0f0", linewidth=0, zorder=0)
    axes.axhline(0.0, color="#808080", linewidth=0.8, zorder=1)
    for label, of_system in sorted(found.items(), key=lambda each: each[0] in COLOURS):
        colour = COLOURS.get(label, "#c8c8c8")
        name = label if label in COLOURS else None
        axes.plot(at, of_system[DRAWN], color=colour, linewidth=2 if name else 0.8, label=name, zorder=3 if name else 2)
    axes.set(xlabel="contests (grey: thrown)", ylabel="rating, compared with the honest twin's")
    axes.grid(axis="y", color="#e4e4e4", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(frameon=False, fontsize=8, ncols=5, loc="outside upper center")
    # No date, and ids that depend only on the picture: a new drawing differs only if a number does.
    figure.savefig(FIGURE, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "podium"
    mpl.rcParams["svg.fonttype"] = "none"
    found = {label: leads(get_system(name, **parameters)) for label, name, parameters in LINES}
    print_table(found)
    draw(found)


if __name__ == "__main__":
    main()
