"""How skilled the people of a community are on each day, and how eager to take part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DAYS = 3 * 52 * 7
"""Length of the community's history."""

# Shares of the kinds of people, by how their skill and their eagerness develop.
_IMPROVING, _FADING, _ONE_TIMERS, _REGULARS = 0.30, 0.15, 0.18, 0.38


@dataclass(frozen=True, slots=True)
class Careers:
    """One row a person; days count from the beginning of the community, skills are in rating points.

    joined, left
        First and last day on which the person takes part.
    break_from, break_until
        Days of a long absence; equal when there is none.
    base, gain, gain_days, fade
        The skill starts at base, approaches base + gain on a time scale of gain_days, and loses fade points a year.
    sway, sway_phase
        A slow wave of better and worse months.
    sprint_skill
        What the person is better or worse at short contests than at long ones.
    eagerness, sprint_eagerness
        Probability of taking part in a contest of the kind.
    """

    joined: Floats
    left: Floats
    break_from: Floats
    break_until: Floats
    base: Floats
    gain: Floats
    gain_days: Floats
    fade: Floats
    sway: Floats
    sway_phase: Floats
    sprint_skill: Floats
    eagerness: Floats
    sprint_eagerness: Floats

    def skill(self, day: float, *, sprint: bool) -> Floats:
        """Everybody's skill on a day."""
        active = np.maximum(day - self.joined, 0)
        learned = self.gain * (1 - np.exp(-active / self.gain_days))
        wave = self.sway * np.sin(2 * np.pi * day / 400 + self.sway_phase)
        return self.base + learned - self.fade * active / 365 + wave + (self.sprint_skill if sprint else 0)

    def willingness(self, day: float, *, sprint: bool) -> Floats:
        """Everybody's probability of taking part in a contest on a day; 0 for those who are away."""
        there = (day >= self.joined) & (day <= self.left)
        away = (day >= self.break_from) & (day < self.break_until)
        return np.where(there & ~away, self.sprint_eagerness if sprint else self.eagerness, 0)


def make_careers(rng: np.random.Generator, count: int) -> Careers:
    """Careers of a plausible mixture: regulars and guests, improving, fading and steady people, long absences."""
    founders = rng.random(count) < 0.42
    joined = np.where(founders, rng.uniform(-60, 220, count), rng.uniform(220, DAYS - 30, count))

    direction = rng.random(count)
    improving, fading = direction < _IMPROVING, direction > 1 - _FADING
    gain = np.where(improving, rng.uniform(350, 900, count), rng.uniform(0, 120, count))
    base = 1500 + 445 * rng.standard_normal(count) - np.where(improving, 0.45 * gain, 0) + np.where(fading, 220, 0)

    devotion = rng.random(count)
    one_timer, regular = devotion < _ONE_TIMERS, devotion > 1 - _REGULARS
    eagerness = np.where(regular, rng.uniform(0.6, 0.97, count), rng.uniform(0.15, 0.55, count))
    stay = np.where(rng.random(count) < 0.2, rng.uniform(120, 700, count), 2.0 * DAYS)
    stay = np.where(one_timer, 20, stay)

    absent = ~one_timer & (rng.random(count) < 0.4)
    break_from = joined + rng.uniform(60, 600, count)
    break_length = np.where(absent, rng.uniform(75, 260, count), 0)
    likes_sprints = rng.random(count) < 0.42
    return Careers(
        joined=joined,
        left=joined + stay,
        break_from=break_from,
        break_until=break_from + break_length,
        base=base,
        gain=gain,
        gain_days=rng.uniform(120, 420, count),
        fade=np.where(fading, rng.uniform(90, 240, count), 0),
        sway=rng.uniform(0, 70, count),
        sway_phase=rng.uniform(0, 2 * np.pi, count),
        sprint_skill=150 * rng.standard_normal(count),
        eagerness=np.where(one_timer, 0.6, eagerness),
        sprint_eagerness=np.where(likes_sprints, 0.9 * eagerness, 0.03),
    )
