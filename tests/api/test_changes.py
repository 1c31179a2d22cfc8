"""Keeping a copy of a series up to date by fetching the changes since a run."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from contests.models import Contest
from contests.services.contests import delete_contest
from contests.services.correcting import Correction, correct_standing
from ratings.api import changes
from ratings.models import RatingChange
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_series, rate

NUMBERS = ("rank", "field_size", "mu_before", "sigma_before", "mu", "sigma", "performance")


class Copy:
    """A copy of the series "cup" by contest and player, kept as in the guide."""

    def __init__(self, client):
        self.client, self.rows, self.run = client, {}, 0

    def ask(self, address=None, **parameters):
        address = address or "/api/v1/communities/main/series/cup/changes/"
        response = self.client.get(address, parameters or None)
        assert response.status_code == 200, response.content
        return response.json()

    def parts(self, **parameters):
        part = self.ask(since_run=self.run, **parameters)
        yield part
        while part["next"]:
            part = self.ask(part["next"])
            yield part

    def sync(self, **parameters):
        parts = list(self.parts(**parameters))
        for part in parts:
            self.apply(part)
        return parts

    def apply(self, part):
        for row in part["results"]:
            self.rows[row["contest"]["id"], row["player"]["id"]] = tuple(row[name] for name in NUMBERS)
        for row in part["retracted"]:
            del self.rows[row["contest"], row["player"]]
        if part["next"] is None:
            self.run = part["run"]


def table(series, run=None):
    changes = RatingChange.objects.filter(series=series)
    rows = changes.current() if run is None else changes.as_of(run)
    return {(row.contest_id, row.player_id): tuple(getattr(row, name) for name in NUMBERS) for row in rows}


def disqualify(contest, handle):
    row = contest.standings.get(player__handle=handle)
    correct_standing(row.pk, correction=Correction("disqualified", place=row.place), reason="a test")


@pytest.mark.django_db
def test_a_correction_sends_only_the_changed_rows(client):
    series = make_series("cup")
    make_contest(series, players=6)
    late = make_contest(series, players=4)
    rate(series)
    copy = Copy(client)
    copy.sync()
    assert (copy.run, copy.rows) == (1, table(series))
    disqualify(late, "p1")
    rate(series)
    (part,) = copy.sync()
    assert (copy.run, copy.rows) == (2, table(series))
    assert {row["contest"]["id"] for row in part["results"]} == {late.pk}
    assert [row["from_run"] for row in part["results"]] == [2, 2, 2]
    player = late.standings.get(player__handle="p1").player_id
    assert part["retracted"] == [{"contest": late.pk, "player": player, "run": 2}]
    (nothing,) = copy.sync()
    assert (nothing["results"], nothing["retracted"], nothing["run"]) == ([], [], 2)


@pytest.mark.django_db
def test_rows_that_appeared_and_disappeared_in_between_are_not_sent(client):
    series = make_series("cup")
    make_contest(series, players=3)
    rate(series)
    copy = Copy(client)
    copy.sync()
    extra = make_contest(series, players=3)
    rate(series)
    delete_contest(extra.pk, reason="a test")
    rate(series)
    (part,) = copy.sync()
    assert (part["run"], part["results"], part["retracted"]) == (3, [], [])


@pytest.mark.django_db
@pytest.mark.parametrize("pause", range(5))
def test_all_parts_describe_the_run_of_the_first_part(client, pause):
    series = make_series("cup")
    contests = [make_contest(series, players=5) for _ in range(2)]
    rate(series)
    copy = Copy(client)
    for number, part in enumerate(copy.parts(page_size=2)):
        copy.apply(part)
        if number == pause:
            disqualify(contests[0], "p2")
            make_contest(series, players=3)
            rate(series)
    assert (copy.run, copy.rows) == (1, table(series, run=1))
    copy.sync(page_size=2)
    assert (copy.run, copy.rows) == (2, table(series))


@pytest.mark.django_db
@pytest.mark.parametrize("pause", range(4))
def test_rows_closed_by_a_later_run_are_not_retracted(client, pause):
    series = make_series("cup")
    contest = make_contest(series, players=6)
    rate(series)
    copy = Copy(client)
    copy.sync()
    disqualify(contest, "p5")
    rate(series)
    for number, part in enumerate(copy.parts(page_size=2)):
        copy.apply(part)
        if number == pause:
            disqualify(contest, "p4")
            rate(series)
    assert (copy.run, copy.rows) == (2, table(series, run=2))


@pytest.mark.django_db
def test_retractions_are_found_among_many_rows_with_successors(client, monkeypatch):
    monkeypatch.setattr(changes, "_SCAN", 3)
    series = make_series("cup")
    contests = [make_contest(series, players=7) for _ in range(3)]
    rate(series)
    copy = Copy(client)
    copy.sync()
    disqualify(contests[0], "p6")
    delete_contest(contests[2].pk, reason="a test")
    rate(series)
    parts = copy.sync(page_size=4)
    assert all(len(part["results"]) + len(part["retracted"]) <= 4 for part in parts)
    assert copy.rows == table(series)
    assert sum(len(part["retracted"]) for part in parts) == 8


class AnyLifeOfASeries(TestCase):
    @settings(max_examples=15, deadline=None)
    @given(
        events=st.lists(st.sampled_from(["contest", "old contest", "correct", "delete", "replay"]), max_size=6),
        since=st.integers(0, 6),
        size=st.integers(1, 9),
    )
    def test_a_copy_of_any_run_becomes_the_current_table(self, events, since, size):
        series = make_series("cup")
        make_contest(series, players=4, day=10)
        rate(series)
        for number, event in enumerate(events):
            self.happen(series, event, number)
        newest = series.runs.order_by("-number").first().number
        copy = Copy(self.client)
        copy.run = min(since, newest)
        copy.rows = table(series, run=copy.run)
        copy.sync(page_size=size)
        assert (copy.run, copy.rows) == (newest, table(series))

    def happen(self, series, event, number):
        existing = series.contests.existing()
        if event == "contest":
            make_contest(series, players=3)
        elif event == "old contest":
            make_contest(series, players=5, day=number)
        elif event == "correct" and (row := existing.filter(standings__status="ranked").first()):
            disqualify(row, row.standings.filter(status="ranked").first().player.handle)
        elif event == "delete" and existing.exists():
            delete_contest(existing.first().pk, reason="a test")
        elif event == "replay":
            choose_scheme(series.pk, parameters={"weight_limit": 0.1 + number / 100})
        rate(series)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("parameters", "status", "words"),
    [
        ({"since_run": 2}, 404, "Run 2 of cup does not exist yet. The newest run is 1."),
        ({"since_run": -1}, 400, "since_run"),
        ({"since_run": 2**40}, 400, "since_run"),
        ({"cursor": "0-1-0-1"}, 400, "cursor"),
        ({"cursor": "0-1-0-1-x"}, 400, "cursor"),
        ({"cursor": "0-1-0-1-²"}, 400, "cursor"),
        ({"cursor": "0-9-0-1-1"}, 400, "Run 9 of cup does not exist."),
        ({"cursor": "0-1-3-1-1"}, 400, "cursor"),
        ({"cursor": f"0-1-0-1-{2**63}"}, 400, "cursor"),
        ({"cursor": "0-0-0-0-0", "since_run": 1}, 400, "cursor"),
        # Of another `since_run`, and with positions beyond the newest run.
        ({"cursor": "0-1-0-1-1", "since_run": 1}, 400, "cursor"),
        ({"cursor": "0-1-0-9-1"}, 400, "cursor"),
        ({"cursor": "0-1-1-9-1"}, 400, "cursor"),
        ({"cursor": "0-1-1-0-1"}, 400, "cursor"),
    ],
)
def test_invalid_cursors_and_runs_are_refused(client, parameters, status, words):
    make_contest(make_series("cup"), players=3)
    rate(make_contest(make_series("other")).series)
    series = Contest.objects.first().series
    rate(series)
    response = client.get("/api/v1/communities/main/series/cup/changes/", parameters)
    assert response.status_code == status
    assert words in str(response.json())
