"""Draw docs/figures: the ratings of the same ten contests by each system.

    python scripts/figures.py [NAME ...]

Forty players have fixed skills with a deviation of 300; thirty take part in each contest, and performances deviate by
200. Four of them are highlighted: a strong regular with one terrible day (the sixth contest), a regular
of average strength, a weak one with one miraculous day (the eighth), and a strong newcomer from the fifth contest on.
The seed is fixed, so the same code gives the same pictures.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import matplotlib as mpl  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib import pyplot as plt  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from ratings.systems import SYSTEMS, Contest, History, get_system, replay  # noqa: E402

FIGURES = ROOT / "docs" / "figures"
PLAYERS, FIELD, CONTESTS = 40, 30, 10
STRONG, AVERAGE, WEAK, NEWCOMER = range(4)
NAMES = {
    STRONG: ("strong, one terrible day", "#0072b2"),
    AVERAGE: ("average", "#4d4d4d"),
    WEAK: ("weak, one miraculous day", "#d55e00"),
    NEWCOMER: ("strong newcomer", "#009e73"),
}


def ten_contests() -> list[Contest]:
    """Return the contests of all pictures, a week apart, with results rounded to tens of points, so that some tie."""
    random = np.random.default_rng(2021)
    skill = random.normal(1500.0, 300.0, PLAYERS)
    skill[[STRONG, AVERAGE, WEAK, NEWCOMER]] = 2000.0, 1500.0, 1100.0, 2100.0
    contests = []
    for number in range(1, CONTESTS + 1):
        others = random.choice(np.arange(4, PLAYERS), FIELD - 4, replace=False)
        players = np.concatenate([[STRONG, AVERAGE, WEAK], [NEWCOMER] if number >= 5 else [], others]).astype(np.int64)
        score = skill[players] + random.normal(0.0, 200.0, len(players))
        if number == 6:
            score[players == STRONG] = -1e4
        if number == 8:
            score[players == WEAK] = 1e4
        contests.append(Contest(players, -np.round(score / 10.0), day=7.0 * number))
    return contests


def line(history: History, player: int) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return contest numbers, means and deviations of one player, beginning before the first contest."""
    rows = np.flatnonzero(history.player == player)
    at = np.concatenate([history.contest[rows][:1], history.contest[rows] + 1])
    mu = np.concatenate([history.mu_before[rows][:1], history.mu[rows]])
    sigma = np.concatenate([history.sigma_before[rows][:1], history.sigma[rows]])
    return at, mu, sigma


def draw(name: str) -> Path:
    """Write the picture of one system."""
    history = replay(get_system(name), ten_contests(), PLAYERS)
    figure, axes = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
    for player in range(4, PLAYERS):
        at, mu, _ = line(history, player)
        axes.plot(at, mu, color="#c8c8c8", linewidth=0.7, zorder=1)
    for player, (label, colour) in NAMES.items():
        at, mu, sigma = line(history, player)
        if np.ptp(history.sigma) > 0:
            axes.fill_between(at, mu - sigma, mu + sigma, color=colour, alpha=0.12, linewidth=0, zorder=2)
        axes.plot(at, mu, color=colour, linewidth=2, marker="o", markersize=3.5, label=label, zorder=3)
    axes.set(xlabel="contests", ylabel="minus position" if SYSTEMS[name].has_positions else "μ", xticks=range(11))
    axes.grid(axis="y", color="#e4e4e4", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(frameon=False, fontsize=8, ncols=4, loc="outside upper center")
    path = FIGURES / f"{name}.svg"
    # No date, and ids that depend only on the picture: a new drawing differs only if a number does.
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="systems (default: all)")
    names = parser.parse_args().names or list(SYSTEMS)
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "podium"
    mpl.rcParams["svg.fonttype"] = "none"
    FIGURES.mkdir(exist_ok=True)
    for name in names:
        print(draw(name).relative_to(ROOT))


if __name__ == "__main__":
    main()
