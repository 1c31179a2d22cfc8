"""A seeded generator of a plausible community: careers of its people, contests, fields and results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

import numpy as np

from contests.demo import (
    DemoCommunity,
    DemoContest,
    DemoPlayer,
    DemoRow,
    DemoSeries,
    Status,
)
from contests.demo.people import make_people
from contests.ranking import competition_ranks

if TYPE_CHECKING:
    from datetime import datetime

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Integers = NDArray[np.int64]

DAYS = 3 * 52 * 7
"""Length of the community's history."""

# Shares of kinds of people, by the development of their skill and their eagerness.
_IMPROVING, _FADING, _ONE_TIMERS, _REGULARS = 0.30, 0.15, 0.18, 0.38


@dataclass(frozen=True, slots=True)
class _Careers:
    """
    Skill and participation of all people over time, one entry for each person.

    Days count from the beginning of the community, skills are in rating points.

    joined, left
        First and last day on which the person participates.
    break_from, break_until
        Days of a long absence; equal if there is none.
    base, gain, gain_days, fade
        The skill starts at base, approaches base + gain on a time scale of gain_days, and loses fade points a year.
    sway, sway_phase
        A slow wave of better and worse months.
    sprint_skill
        Difference in skill between short and long contests.
    eagerness, sprint_eagerness
        Probability of participating in a contest of the kind.
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
        """Return the skill of each person on a day."""
        active = np.maximum(day - self.joined, 0)
        learned = self.gain * (1 - np.exp(-active / self.gain_days))
        wave = self.sway * np.sin(2 * np.pi * day / 400 + self.sway_phase)
        return self.base + learned - self.fade * active / 365 + wave + (self.sprint_skill if sprint else 0)

    def willingness(self, day: float, *, sprint: bool) -> Floats:
        """Return the probability that each person participates in a contest on a day, 0 during absences."""
        there = (day >= self.joined) & (day <= self.left)
        away = (day >= self.break_from) & (day < self.break_until)
        return np.where(there & ~away, self.sprint_eagerness if sprint else self.eagerness, 0)


def _make_careers(rng: np.random.Generator, count: int) -> _Careers:
    """Return a plausible mixture: regulars and guests, improving, fading and steady people, long absences."""
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
    return _Careers(
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


_CUP_THEMES = (
    "Tides", "Lighthouses", "Knots and Strings", "Cargo", "Charts", "Currents", "Anchors", "Bridges", "Signal Flags",
    "Dry Docks", "Sextants", "Ferries", "Breakwaters", "Night Watch",
)  # fmt: skip
_RELAY_THEMES = (
    "First Light", "Cold Start", "Milestones", "Long Shadows", "Switchback", "Tailwind", "Headlamps", "Blue Hour",
    "Crossing", "Moonrise", "Fog", "Echoes", "Second Wind", "North Star", "Home Stretch",
)  # fmt: skip

_PERFORMANCE_DEVIATION = 190.0
"""Standard deviation of one performance around the skill, in rating points."""

# Half of the people who perform at the difficulty solve the task, and about 75 % of those 70 points above it.
_TASK_STEEPNESS = 65.0
_CUP_TASKS = ((100, 750), (200, 1100), (300, 1450), (400, 1800), (500, 2150), (600, 2500), (700, 2900))
"""Points and difficulty of the tasks of a round."""
_RELAY_LEGS = (950, 1150, 1300, 1450, 1600, 1750, 1950, 2200)
"""Difficulties of the legs."""
_RELAY_SECONDS = 2700


@dataclass(frozen=True, slots=True)
class _Event:
    """A contest as planned, before it has participants."""

    slug: str
    name: str
    day: int
    starts_at: datetime
    ends_at: datetime
    weight: float = 1.0
    finalized: bool = True
    held: bool = True
    sprint: bool = False


def generate_community(*, until: datetime, seed: int = 2024, players: int = 480) -> DemoCommunity:
    """
    Return a fictional community and three years of its contests, 60 of them finalized.

    Each series ends with a draft. The draft of the Harbour Cup has just ended and has standings to review and finalize;
    that of the Night Relay is in the future and has none.

    until
        The present, aware; all finalized contests ended before it.
    seed
        The same seed, number of players and `until` (to the hour) give exactly the same community with one version of
        NumPy; another version can draw different numbers.
    players
        Number of people, 400 to 2,000; each participates at least once. Fields grow with it.
    """
    if until.tzinfo is None:
        raise ValueError(f"until must have a time zone, such as {until.isoformat()}+00:00")
    if not 400 <= players <= 2000:
        raise ValueError(f"players must be between 400 and 2,000, not {players}")
    rng = np.random.default_rng(seed)
    people = make_people(rng, players)
    careers = _make_careers(rng, players)
    now = until.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    series = (_harbour_cup(rng, people, careers, now), _night_relay(rng, people, careers, now))
    description = "Algorithm contests by the harbour, and short ones at night. Everyone is welcome."
    return DemoCommunity("", "Harbour Club", description, people, series)


def generate_neighbours(*, until: datetime, seed: int = 2024) -> DemoCommunity:
    """
    Return a second, smaller community with one series, whose people are not those of the first one, even if their
    handles are the same.

    until, seed
        As for `generate_community`, of which it is independent.
    """
    first = generate_community(until=until, seed=seed + 1, players=400)
    (relay,) = (series for series in first.series if series.slug == "night-relay")
    contests = tuple(
        replace(
            contest,
            slug=contest.slug.replace("night-relay", "hill-relay"),
            name=contest.name.replace("Night Relay Sprint", "Hill Relay"),
            url=contest.url.replace("night-relay", "hill-relay"),
        )
        for contest in relay.contests
    )
    handles = {row.handle for contest in contests for row in contest.rows}
    people = tuple(player for player in first.players if player.handle in handles)
    description = "A relay up the hill on summer evenings: eight short legs, more legs first, then less time."
    series = DemoSeries("hill-relay", "Hill Relay", description, contests)
    return DemoCommunity(
        "hillside", "Hillside Runners", "A small club on the other side of the hill.", people, (series,)
    )


def _harbour_cup(
    rng: np.random.Generator, people: tuple[DemoPlayer, ...], careers: _Careers, now: datetime
) -> DemoSeries:
    events = _cup_events(now)
    debuts = np.searchsorted([event.day for event in events], careers.joined)
    contests = []
    for number, event in enumerate(events):
        field = _field(rng, careers, event, (60, 220), debuts == number)
        results = _cup_results(rng, careers.skill(event.day, sprint=False)[field])
        contests.append(_contest(rng, event, [people[i].handle for i in field.tolist()], results))
    return DemoSeries(
        slug="harbour-cup",
        name="Harbour Cup",
        description=(
            "Algorithm rounds on Saturday afternoons: seven tasks, two and a half hours, points for each quarter of a "
            "task. A season has 15 rounds, and its final counts 1.5 times."
        ),
        contests=tuple(contests),
    )


def _night_relay(
    rng: np.random.Generator, people: tuple[DemoPlayer, ...], careers: _Careers, now: datetime
) -> DemoSeries:
    contests = []
    for event in _relay_events(now):
        no_debuts = np.zeros(len(people), dtype=bool)
        field = _field(rng, careers, event, (25, 90), no_debuts) if event.held else np.array([], dtype=np.int64)
        results = _relay_results(rng, careers.skill(event.day, sprint=True)[field])
        contests.append(_contest(rng, event, [people[i].handle for i in field.tolist()], results))
    return DemoSeries(
        slug="night-relay",
        name="Night Relay Sprint",
        description=(
            "Eight short legs against the clock on a Wednesday night: more legs first, then less time. "
            "Five sprints a year, for people who like it fast."
        ),
        contests=tuple(contests),
    )


def _cup_events(now: datetime) -> list[_Event]:
    """Return three seasons of 15 rounds on every third Saturday, and a prologue that ended two hours ago."""
    midnight = now.replace(hour=0)
    saturday = midnight - timedelta(days=(midnight.weekday() - 5) % 7 or 7)
    events = []
    for number in range(45):
        season, position = divmod(number, 15)
        day = DAYS - 7 * (52 * (2 - season) + 3 * (14 - position))
        starts_at = saturday + timedelta(days=day - DAYS, hours=14)
        final = position == 14
        title = "Grand Final" if final else f"Round {position + 1}: {_CUP_THEMES[position]}"
        events.append(
            _Event(
                slug=f"harbour-cup-s{season + 1}-{'final' if final else f'r{position + 1:02d}'}",
                name=f"Harbour Cup, Season {season + 1}, {title}",
                day=day,
                starts_at=starts_at,
                ends_at=starts_at + timedelta(hours=2, minutes=30),
                weight=1.5 if final else 1.0,
            )
        )
    ended = now - timedelta(hours=2)
    name = "Harbour Cup, Season 4, Prologue"
    starts_at = ended - timedelta(hours=2, minutes=30)
    return [*events, _Event("harbour-cup-s4-prologue", name, DAYS + 1, starts_at, ended, finalized=False)]


def _relay_events(now: datetime) -> list[_Event]:
    """Return 15 sprints on Wednesdays, ten weeks apart, and the next one in one to two weeks."""
    midnight = now.replace(hour=0)
    wednesday = midnight + timedelta(days=7 + (2 - midnight.weekday()) % 7, hours=20)
    events = []
    for number in range(16):
        starts_at = wednesday - timedelta(weeks=10 * (15 - number))
        coming = number == 15
        theme = "Next Dawn" if coming else _RELAY_THEMES[number]
        events.append(
            _Event(
                slug=f"night-relay-{number + 1:02d}",
                name=f"Night Relay Sprint #{number + 1}: {theme}",
                day=DAYS - 70 * (15 - number),
                starts_at=starts_at,
                ends_at=starts_at + timedelta(minutes=45),
                finalized=not coming,
                held=not coming,
                sprint=True,
            )
        )
    return events


def _field(
    rng: np.random.Generator, careers: _Careers, event: _Event, bounds: tuple[int, int], certain: Flags
) -> Integers:
    """
    Return the positions of the participants: those who certainly take part, then the most willing others.

    The number of participants stays within the bounds, which are for 480 people and grow with the community.
    """
    willingness = careers.willingness(event.day, sprint=event.sprint)
    margin = np.where(willingness > 0, willingness - rng.random(willingness.size), -np.inf)
    margin[certain] = 1
    lowest, highest = (bound * willingness.size // 480 for bound in bounds)
    size = min(max(int(np.sum(margin > 0)), lowest), highest, int(np.sum(margin > -np.inf)))
    return np.sort(np.argsort(-margin, kind="stable")[:size])


def _perform(rng: np.random.Generator, skill: Floats) -> Floats:
    """Draw one performance of each person; logistic, so surprises are likelier than with a normal distribution."""
    return skill + rng.logistic(0, _PERFORMANCE_DEVIATION * np.sqrt(3) / np.pi, skill.size)


def _cup_results(rng: np.random.Generator, skill: Floats) -> list[tuple[int, int | None]]:
    """Draw points; each task gives points in quarters, and there is no penalty, so ties are common."""
    performance = _perform(rng, skill)
    points = np.zeros(skill.size, dtype=np.int64)
    hardness = 40 * rng.standard_normal()
    for value, difficulty in _CUP_TASKS:
        form = performance + 60 * rng.standard_normal(skill.size)
        solved = 1 / (1 + np.exp((difficulty + hardness - form) / _TASK_STEEPNESS))
        points += value // 4 * np.floor(4 * solved + 0.5).astype(np.int64)
    return [(score, None) for score in points.tolist()]


def _relay_results(rng: np.random.Generator, skill: Floats) -> list[tuple[int, int | None]]:
    """Draw the number of legs finished and the seconds they took; people who finish none have no seconds."""
    performance = _perform(rng, skill)
    running = np.ones(skill.size, dtype=bool)
    legs, seconds = np.zeros(skill.size, dtype=np.int64), np.zeros(skill.size)
    for difficulty in _RELAY_LEGS:
        form = performance + 50 * rng.standard_normal(skill.size)
        taken = 270 * np.exp((difficulty - form) / 700)
        running &= (form > difficulty - 150) & (seconds + taken <= _RELAY_SECONDS)
        legs += running
        seconds += np.where(running, taken, 0)
    return list(zip(legs.tolist(), np.rint(seconds).astype(np.int64).tolist(), strict=True))


def _contest(
    rng: np.random.Generator, event: _Event, handles: list[str], results: list[tuple[int, int | None]]
) -> DemoContest:
    """Return the standings, best place first, unofficial rows last, with a few unofficial and disqualified rows."""
    unofficial = _some(rng, len(handles), 2) if rng.random() < 0.3 else []
    disqualified = _some(rng, len(handles), 1) if rng.random() < 0.25 else []

    def quality(i: int) -> tuple[bool, int, int, str]:
        return i in unofficial, -results[i][0], results[i][1] or 0, handles[i]

    order = sorted(range(len(handles)), key=quality)
    official = [i for i in order if i not in unofficial]
    places = competition_ranks([results[i][0] for i in official], [results[i][1] or 0 for i in official])
    place_of = dict(zip(official, places, strict=True))
    rows = []
    for i in order:
        score, penalty = results[i]
        status: Status = "unofficial" if i in unofficial else "disqualified" if i in disqualified else "ranked"
        rows.append(DemoRow(handles[i], place_of.get(i), score, penalty, status))
    return DemoContest(
        event.slug, event.name, "", event.starts_at, event.ends_at, event.weight, event.finalized, tuple(rows)
    )


def _some(rng: np.random.Generator, count: int, most: int) -> list[int]:
    """Draw one to `most` different positions below `count`; no positions if `count` is 0."""
    return rng.permutation(count)[: int(rng.integers(1, most + 1))].tolist()
