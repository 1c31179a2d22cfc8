"""Series whose contests count by their duration, compared with series whose organizers chose the same weights."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta

import numpy as np
import pytest

from contests.errors import ContestError
from contests.models import AuditEntry
from contests.services.describing import ContestDescription, describe_contest, description_as_json
from ratings.derived import derived
from ratings.derived.season import DERIVATION as SEASON
from ratings.models import Rating, RatingChange, Run
from ratings.publishing.deriving import derive_series
from ratings.publishing.projection import preview_contest
from ratings.publishing.schemes import choose_scheme
from ratings.publishing.undoing import causes_since, undo_causes
from ratings.queries.snapshot import snapshot_of
from ratings.systems import SYSTEMS
from tests.factories import make_contest, make_series, rate, roll_back
from tests.pages import Page

pytestmark = pytest.mark.django_db

RULES = {"hours": 2, "exponent": 0.5, "minimum": 0.25, "maximum": 4}
#: Hours of each contest, None for an unknown start, with the factor of its weight, computed by hand from the rules.
DURATIONS = [(2, 1.0), (8, 2.0), (None, 1.0), (0.5, 0.5), (50, 4.0), (4.5, 1.5)]
HANDLES = ["ann", "bob", "eve", "joe", "kim"]


def add_contest(series, number, *, by_duration, **fields):
    hours, factor = DURATIONS[number]
    place = {handle: (3 * number + 2 * spot) % len(HANDLES) for spot, handle in enumerate(HANDLES)}
    rows = [(handle, place[handle] + 1) for handle in HANDLES]
    given = 1.5 if number == 1 else 1.0
    contest = make_contest(
        series, standings=rows, day=3 * number, weight=given if by_duration else given * factor, **fields
    )
    if hours is not None and by_duration:
        contest.starts_at = contest.ends_at - timedelta(hours=hours)
        contest.save(update_fields=["starts_at"])
    return contest


def make_pair(system, count=6, **scheme):
    """Return a series whose weights follow from durations, and one in which the organizers chose them."""
    pair = make_series(f"{system}-long"), make_series(f"{system}-weighed")
    for series, by_duration in zip(pair, (True, False), strict=True):
        choose_scheme(series.pk, system=system, duration_weight=RULES if by_duration else {}, **scheme)
        for number in range(count):
            add_contest(series, number, by_duration=by_duration)
        rate(series)
    return pair


def numbers(series):
    changes = RatingChange.objects.current().filter(series=series).order_by("contest__ends_at", "player__handle_key")
    ratings = Rating.objects.filter(series=series).order_by("player__handle_key")
    return list(changes.values_list("mu", "sigma")), list(ratings.values_list("mu", "sigma", "belief"))


@pytest.mark.parametrize("system", [name for name, system in SYSTEMS.items() if system.uses_weights])
def test_every_system_counts_durations_like_weights(system):
    long, weighed = make_pair(system, count=4)
    assert numbers(long) == numbers(weighed)
    for number in (4, 5):
        for series, by_duration in ((long, True), (weighed, False)):
            draft = add_contest(series, number, by_duration=by_duration, finalized=False)
            previewed = {row.handle: row.mu for row in preview_contest(draft).rows}
            draft.delete()
            contest = add_contest(series, number, by_duration=by_duration)
            rate(series)
            rated = RatingChange.objects.current().filter(contest=contest).values_list("player__handle", "mu")
            assert dict(rated) == previewed
        assert numbers(long) == numbers(weighed)
    assert Run.objects.filter(series=long).order_by("-number")[0].kind == "append"
    choose_scheme(long.pk, duration_weight={})
    rate(long)
    assert numbers(long) != numbers(weighed)


def test_season_points_count_the_same_weights():
    points = []
    for series in make_pair("elo-mmr", season={"length": "year"}):
        derive_series(series.pk)
        points.append(derived(snapshot_of(series), SEASON)["points"])
    np.testing.assert_array_equal(*points)
    assert points[0].any()


def test_schemes_without_the_rule_keep_the_hash_that_they_had():
    long, weighed = make_pair("elo", count=1)
    scheme = choose_scheme(weighed.pk)
    numbers = [scheme.system, scheme.parameters, float(scheme.display.get("k", 0.0))]
    assert scheme.digest() == hashlib.sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()
    assert choose_scheme(long.pk).digest() != scheme.digest()
    assert not choose_scheme(long.pk).rates_alike(scheme)


def test_a_system_without_weights_refuses_the_rule_and_does_not_inherit_it():
    series, _ = make_pair("elo", count=1)
    with pytest.raises(ContestError, match="ladder ignores the weights of contests"):
        choose_scheme(series.pk, system="ladder", duration_weight=RULES)
    assert choose_scheme(series.pk, system="ladder").duration_weight == {}
    assert choose_scheme(series.pk, system="glicko", duration_weight=RULES).duration_weight == RULES
    assert choose_scheme(series.pk, system="elo").duration_weight == RULES
    entry = AuditEntry.objects.filter(action="scheme.choose").order_by("-id")[0]
    assert entry.after["duration_weight"] == RULES


def described(contest, **said):
    fields = description_as_json(contest) | said
    return ContestDescription(**fields)


def test_a_contest_with_a_new_start_is_rated_again_only_if_durations_count():
    long, weighed = make_pair("elo", count=3)
    run = Run.objects.current(long.pk)
    for series, counts in ((weighed, False), (long, True)):
        contest = series.contests.order_by("ends_at")[1]
        before, start = numbers(series), contest.starts_at
        later = contest.ends_at - timedelta(hours=2)
        with pytest.raises(ContestError, match="give the reason"):
            describe_contest(contest.pk, description=described(contest, starts_at=later))
        describe_contest(contest.pk, description=described(contest, starts_at=later), reason="started late")
        assert series.stale_marks.exists() == counts
        rate(series)
        assert (numbers(series) != before) == counts
        contest.refresh_from_db()
        assert (contest.amended_at is not None) == counts
    (cause,) = causes_since(run)
    undo_causes(run, [cause.key], reason="it was right")
    rate(long)
    contest.refresh_from_db()
    assert (contest.starts_at, numbers(long)) == (start, before)


def test_earlier_runs_come_back_with_their_own_rule():
    series, weighed = make_pair("kreimeier")
    before = numbers(series)
    assert before == numbers(weighed)
    choose_scheme(series.pk, duration_weight={**RULES, "exponent": 1})
    rate(series)
    assert numbers(series) != before
    roll_back(series.pk, 1, reason="as before")
    changes, ratings = numbers(series)
    assert (changes, [row[:2] for row in ratings]) == (before[0], [row[:2] for row in before[1]])


def test_pages_and_the_interface_say_the_weight_and_its_reason(client):
    def get(address):
        return client.get(f"/api/v1/{address}").json()

    series, _ = make_pair("elo-mmr")
    contests = list(series.contests.order_by("ends_at"))
    scheme = get("communities/main/series/elo-mmr-long/")["scheme"]
    assert scheme["duration_weight"] == RULES
    for contest, weight in zip(contests, (1.0, 3.0, 1.0, 0.5, 4.0, 1.5), strict=True):
        assert {row["weight"] for row in get(f"contests/{contest.pk}/rating-changes/")["results"]} == {weight}
    why = Page(client.get(f"/contests/{contests[1].pk}/why/ann/"))
    assert "This one took 8 hours" in why.text
    assert "multiplies the weight by 2, so this contest has a weight of 3" in why.text
    for contest in contests:
        answer = client.get(f"/contests/{contest.pk}/why/ann/")
        assert answer.context["explained"].is_exact, "explained with the weights by which it was rated"
    forecast = client.get("/c/main/series/elo-mmr-long/what-if/", {"player": "ann", "contest": contests[1].pk})
    assert "weight 3" in Page(forecast).text
    assert "doesn’t know when this one started" in Page(client.get(f"/contests/{contests[2].pk}/why/ann/")).text
    assert "Weight 3 from its duration" in Page(client.get(f"/contests/{contests[1].pk}/")).text
    assert "Longer contests count more" in Page(client.get("/c/main/series/elo-mmr-long/how/")).text
    history = client.get("/c/main/histories/ann/?series=elo-mmr-long").content.decode()
    assert [line.split(",")[5] for line in history.splitlines()[1:]] == ["1.0", "3.0", "1.0", "0.5", "4.0", "1.5"]
