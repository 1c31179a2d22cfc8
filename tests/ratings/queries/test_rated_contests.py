"""The weight with which a contest counted, on pages and in REST, after the contest has changed."""

import csv
from dataclasses import replace
from datetime import timedelta

import pytest

from contests.models import AuditEntry, Contest
from contests.services.describing import ContestDescription, describe_contest
from ratings.models import Run
from ratings.publishing.schemes import choose_scheme
from ratings.queries.rated_contests import as_rated
from tests.factories import make_contest, make_series, rate, roll_back
from tests.pages import Page

pytestmark = pytest.mark.django_db
STANDINGS = [("ann", 1), ("bob", 2), ("cid", 3)]


@pytest.fixture
def series():
    """Return a series of two contests of weight 1, of which run 1 rated the first and run 2 both."""
    series = make_series("cup")
    for name in ("Spring", "Autumn"):
        make_contest(series, standings=STANDINGS, name=name)
        rate(series)
    return series


def describe(name, **changed):
    contest = Contest.objects.get(name=name)
    describe_contest(contest.pk, description=replace(ContestDescription.of(contest), **changed), reason="a test")


def weights(client, name):
    """Return the weight of a contest in all three resources of REST, and in the CSV file of a player."""
    pk = Contest.objects.get(name=name).pk
    lists = [f"contests/{pk}/rating-changes/", "communities/main/players/ann/history/"]
    lists.append("communities/main/series/cup/changes/")
    found = set()
    for address in lists:
        rows = client.get(f"/api/v1/{address}").json()["results"]
        found |= {row["weight"] for row in rows if row["contest"]["id"] == pk}
    file = client.get("/c/main/histories/ann/").content.decode().splitlines()
    found |= {float(row["weight"]) if row["weight"] else None for row in csv.DictReader(file) if row["contest"] == name}
    return found


def why(client, name):
    """Return the page that explains ann's rating change."""
    return Page(client.get(f"/contests/{Contest.objects.get(name=name).pk}/why/ann/")).text


def test_a_weight_is_that_of_the_run_on_display(client, series):
    assert weights(client, "Spring") == {1.0}
    describe("Spring", weight=2.5)
    assert weights(client, "Spring") == {1.0}, "the change waits to be rated"
    assert "the weight 2.5" not in why(client, "Spring")
    rate(series)
    assert weights(client, "Spring") == {2.5}
    assert "The organizers gave this contest the weight 2.5" in why(client, "Spring")
    roll_back(series.pk, 2, reason="too much")
    assert weights(client, "Spring") == {1.0}
    assert weights(client, "Autumn") == {1.0}
    for name in ("Spring", "Autumn"):
        page = why(client, name)
        assert "the weight 2.5" not in page
        assert "has not been rated again" not in page
    roll_back(series.pk, 3, reason="a roll-back of a roll-back follows")
    assert weights(client, "Spring") == {2.5}
    roll_back(series.pk, 4, reason="restores the roll-back to run 2")
    assert weights(client, "Spring") == {1.0}


def test_several_changes_are_undone_to_the_first(client, series):
    for weight in (2.0, 3.0):
        describe("Spring", weight=weight)
    rate(series)
    roll_back(series.pk, 2, reason="too much")
    assert weights(client, "Spring") == {1.0}


def test_the_duration_is_that_of_the_run_on_display(client, series):
    """With the usual rule, a contest of 8 hours counts √(8 ÷ 2) = 2 times, and one of 2 hours once."""
    end = Contest.objects.get(name="Spring").ends_at
    describe("Spring", starts_at=end - timedelta(hours=8))
    rules = {"hours": 2.0, "exponent": 0.5, "minimum": 0.25, "maximum": 4.0}
    choose_scheme(series.pk, duration_weight=rules)
    rate(series)
    assert weights(client, "Spring") == {2.0}
    choose_scheme(series.pk, duration_weight={})
    rate(series)
    describe("Spring", starts_at=end - timedelta(hours=2))
    assert weights(client, "Spring") == {1.0}
    roll_back(series.pk, 3, reason="durations should count")
    assert weights(client, "Spring") == {2.0}
    assert "This one took 8 hours" in why(client, "Spring")


def test_a_weight_that_changed_during_the_run_is_unknown(client, series):
    describe("Spring", weight=2.5)
    during = Run.objects.get(series=series, number=2).published_at
    rate(series)
    roll_back(series.pk, 2, reason="too much")
    AuditEntry.objects.filter(action="contest.describe").update(at=during)
    # The run rated only finalized contests, so the change of this one was made before.
    assert weights(client, "Autumn") == {1.0}
    Contest.objects.update(finalized_at=during - timedelta(seconds=1))
    assert weights(client, "Spring") == {None}
    assert "gave this contest the weight" not in why(client, "Spring")


def test_contests_without_amendments_take_no_query(series, django_assert_num_queries):
    run, contests = Run.objects.current(series.pk), list(Contest.objects.all())
    with django_assert_num_queries(0):
        assert as_rated(run, contests) == {contest.pk: contest for contest in contests}
