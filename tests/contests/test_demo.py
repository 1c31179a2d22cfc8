"""The generated community is plausible, consistent, and the same for the same seed."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import subprocess
import sys
import unicodedata
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contests.demo.community import generate_community

if TYPE_CHECKING:
    from contests.demo import DemoCommunity, DemoContest

UNTIL = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
SEEDS = [1, 2, 2024]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", params=SEEDS)
def community(request) -> DemoCommunity:
    return generate_community(until=UNTIL, seed=request.param)


def all_contests(community: DemoCommunity) -> list[DemoContest]:
    return [contest for series in community.series for contest in series.contests]


def standing_shares(community: DemoCommunity) -> dict[str, list[tuple[datetime, float]]]:
    """Return, by handle, when someone took part in the first series and what share of the field they beat."""
    shares = defaultdict(list)
    for contest in community.series[0].contests:
        ranked = [row for row in contest.rows if row.status == "ranked"]
        for row in ranked:
            shares[row.handle].append((contest.ends_at, 1 - row.place / len(ranked)))
    return shares


def test_there_are_hundreds_of_players_sixty_contests_and_two_series(community):
    assert len(community.players) == 480
    finalized = [[contest for contest in series.contests if contest.finalized] for series in community.series]
    assert [len(contests) for contests in finalized] == [45, 15]


def test_fields_have_plausible_sizes(community):
    cup, relay = (
        [len(contest.rows) for contest in series.contests if contest.finalized] for series in community.series
    )
    assert 60 <= min(cup) < 100 < max(cup) <= 220
    assert 25 <= min(relay) < max(relay) <= 90


def test_names_come_from_many_scripts_and_countries(community):
    letters = "".join(player.name for player in community.players)
    scripts = Counter(unicodedata.name(letter).split()[0] for letter in letters if letter.isalpha())
    expected = {
        "LATIN",
        "CYRILLIC",
        "GREEK",
        "CJK",
        "HIRAGANA",
        "HANGUL",
        "ARABIC",
        "HEBREW",
        "DEVANAGARI",
        "TAMIL",
        "THAI",
    }
    assert expected | {"GEORGIAN", "ARMENIAN", "ETHIOPIC", "BENGALI"} <= set(scripts)
    assert len({player.country for player in community.players}) >= 30


def test_every_country_code_looks_like_iso_3166(community):
    assert all(len(p.country) == 2 and p.country.isascii() and p.country.isupper() for p in community.players)


def test_handles_differ_whatever_their_case_and_are_short_printable_and_normalized(community):
    handles = [player.handle for player in community.players]
    assert len({unicodedata.normalize("NFKC", handle).casefold() for handle in handles}) == len(handles)
    for handle in handles:
        assert 1 <= len(handle) <= 32
        assert handle.isprintable()
        assert " " not in handle
        assert unicodedata.is_normalized("NFC", handle)
    native = [handle for handle in handles if not handle.isascii()]
    assert 3 <= len(native) <= len(handles) / 10


def test_names_are_normalized_and_all_different(community):
    names = [player.name for player in community.players]
    assert len(set(names)) == len(names)
    assert all(unicodedata.is_normalized("NFC", name) and name.strip() == name for name in names)


def test_all_players_participate_and_no_one_else_does(community):
    handles = {player.handle for player in community.players}
    assert {row.handle for contest in all_contests(community) for row in contest.rows} == handles


def test_no_player_is_in_a_contest_twice(community):
    for contest in all_contests(community):
        assert len({row.handle for row in contest.rows}) == len(contest.rows)


def test_places_are_competition_ranks_of_score_and_penalty(community):
    for contest in all_contests(community):
        official = [row for row in contest.rows if row.status != "unofficial"]
        results = [(row.score, -(row.penalty or 0)) for row in official]
        for row, result in zip(official, results, strict=True):
            assert row.place == 1 + sum(other > result for other in results)
        assert [row.place for row in official] == sorted(row.place for row in official)
        assert all(row.place is None for row in contest.rows if row.status == "unofficial")


def test_there_are_ties_for_the_first_the_last_and_middle_places(community):
    first, last, middle = 0, 0, 0
    for contest in community.series[0].contests:
        ranked = [row for row in contest.rows if row.status == "ranked"]
        sizes = Counter(row.place for row in ranked)
        first += sizes[1] > 1
        last += sizes[ranked[-1].place] > 1 and ranked[-1].score == 0
        middle += any(size > 1 for place, size in sizes.items() if place != 1 and place != ranked[-1].place)
    assert first >= 1
    assert last >= 20
    assert middle >= 40


def test_a_few_rows_are_disqualified_or_unofficial(community):
    statuses = Counter(row.status for contest in all_contests(community) for row in contest.rows)
    assert 2 <= statuses["disqualified"] <= 40
    assert 2 <= statuses["unofficial"] <= 60
    assert statuses["ranked"] > 5000


def test_only_the_finals_of_the_seasons_weigh_more(community):
    weights = {contest.slug: contest.weight for contest in all_contests(community) if contest.weight != 1}
    assert weights == {f"harbour-cup-s{season}-final": 1.5 for season in (1, 2, 3)}


def test_newcomers_join_all_the_time(community):
    firsts = sorted(min(when for when, _ in played) for played in standing_shares(community).values())
    years = Counter((first - firsts[0]).days // 365 for first in firsts)
    assert min(years[0], years[1], years[2]) >= 60


def test_some_come_once_and_some_nearly_always(community):
    counts = np.array([len(played) for played in standing_shares(community).values()])
    assert np.mean(counts == 1) > 0.08
    assert np.sum(counts >= 30) >= 20


def test_some_devoted_players_were_away_for_months(community):
    rounds = defaultdict(list)
    for number, contest in enumerate(community.series[0].contests):
        for row in contest.rows:
            rounds[row.handle].append(number)
    away = 0
    for played in rounds.values():
        longest = max((later - earlier for earlier, later in pairwise(played)), default=0)
        otherwise = len(played) / (played[-1] - played[0] + 2 - longest)
        # A person who comes to three of four rounds misses five in a row (fifteen weeks) once in a thousand times.
        away += longest > 5 and len(played) >= 12 and otherwise >= 0.75
    assert away >= 10


def test_scores_follow_skills(community):
    halves = [(played[::2], played[1::2]) for played in standing_shares(community).values() if len(played) >= 12]
    odd, even = (
        np.array([np.mean([share for _, share in half]) for half in pair]) for pair in zip(*halves, strict=True)
    )
    assert np.corrcoef(odd, even)[0, 1] > 0.8


def test_some_improve_and_some_fade(community):
    changes = [
        np.mean([share for _, share in played[-6:]]) - np.mean([share for _, share in played[:6]])
        for played in standing_shares(community).values()
        if len(played) >= 20
    ]
    assert max(changes) > 0.2
    assert min(changes) < -0.2


def test_contests_are_in_order_and_have_distinct_names(community):
    for series in community.series:
        ends = [contest.ends_at for contest in series.contests]
        assert ends == sorted(set(ends))
    assert len({contest.slug for contest in all_contests(community)}) == 62
    assert len({contest.name for contest in all_contests(community)}) == 62


@settings(max_examples=12, deadline=None)
@given(until=st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1), timezones=st.just(timezone(timedelta(hours=-7)))))  # noqa: DTZ001  hypothesis adds the zone
def test_finalized_contests_are_past_and_span_three_years_at_any_time(until):
    cup, relay = generate_community(until=until).series
    for contest in (*cup.contests, *relay.contests):
        assert contest.starts_at < contest.ends_at
        assert contest.ends_at.utcoffset() == timedelta(0)
        assert contest.finalized <= (contest.ends_at < until)
    assert timedelta(days=980) < cup.contests[44].ends_at - cup.contests[0].starts_at < timedelta(days=1100)
    assert until - cup.contests[44].ends_at < timedelta(days=8)


def test_one_series_ends_with_a_draft_to_finalize_and_the_other_with_a_future_contest(community):
    cup, relay = (series.contests[-1] for series in community.series)
    assert (cup.finalized, relay.finalized) == (False, False)
    assert cup.ends_at < UNTIL < relay.starts_at
    assert len(cup.rows) >= 60
    assert relay.rows == ()


def test_the_same_seed_gives_the_same_bytes_whatever_the_hash_seed():
    program = (
        "import hashlib; from datetime import UTC, datetime; from contests.demo.community import generate_community;"
        "community = generate_community(until=datetime(2026, 3, 4, 10, 30, tzinfo=UTC), seed=7);"
        "print(hashlib.sha256(repr(community).encode()).hexdigest())"
    )
    digests = {hashlib.sha256(repr(generate_community(until=UNTIL, seed=7)).encode()).hexdigest()}
    for hash_seed in ("0", "1"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
        run = subprocess.run(
            [sys.executable, "-c", program], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
        )
        digests.add(run.stdout.strip())
    assert len(digests) == 1


def test_another_seed_gives_other_people_and_results():
    first, second = (generate_community(until=UNTIL, seed=seed) for seed in (1, 2))
    assert first.players != second.players
    assert first.series[0].contests[0].rows != second.series[0].contests[0].rows


def test_the_generator_needs_neither_django_nor_the_rest_of_the_project():
    program = "import sys, contests.demo; print(*{'django', 'ratings', 'podium'} & set(sys.modules))"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == ""


def test_a_larger_community_has_larger_fields():
    community = generate_community(until=UNTIL, players=1000)
    assert len(community.players) == 1000
    assert max(len(contest.rows) for contest in community.series[0].contests) > 220


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"until": UNTIL.replace(tzinfo=None)}, "until must have a time zone"),
        ({"until": UNTIL, "players": 399}, "players must be between 400 and 2,000, not 399"),
        ({"until": UNTIL, "players": 2001}, "not 2001"),
    ],
)
def test_impossible_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        generate_community(**arguments)


def test_a_community_cannot_be_changed(community):
    with pytest.raises(dataclasses.FrozenInstanceError):
        community.players[0].handle = "other"
