"""Duplicates in a large series: a worker looks for them once, and the list follows what happens to the players."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from contests.matching import duplicate_search
from contests.matching.duplicate_search import Progress, work_on
from contests.models import DuplicateSearch
from contests.tasks import search_duplicates_task
from tests.factories import make_contest, make_user
from tests.web.organize.broker import Broker
from tests.web.organize.people.merging import at, merge, text_of, two_spellings

pytestmark = pytest.mark.django_db


@pytest.fixture
def broker(monkeypatch) -> Broker:
    broker = Broker(search_duplicates_task.name)
    monkeypatch.setattr(duplicate_search, "current_app", broker)
    return broker


@pytest.fixture
def people(series, monkeypatch):
    """Four players, of whom two may be one; the series counts as a large one."""
    make_contest(series, standings=[("zoe", 1)])
    monkeypatch.setattr("web.organize.people.duplicates.SEARCHED_AT_ONCE", 2)
    return two_spellings(series)


def ask(organizer, series, **said):
    return organizer.post(at("people-duplicates", series), said, follow=True)


def handles(answer) -> list[tuple[str, str]]:
    return [(pair.first.handle, pair.second.handle) for pair in answer.context["duplicates"].pairs]


def change(series, **values: object) -> None:
    DuplicateSearch.objects.filter(series=series).update(**values)


def silent_for(series, seconds: float) -> None:
    row = DuplicateSearch.objects.get(series=series)
    change(series, progress={**row.progress, "at": (timezone.now() - timedelta(seconds=seconds)).isoformat()})


FOUND = [("alexanderk", "alexander_k")]


def test_a_worker_searches_once_and_everyone_reads_its_list(organizer, series, people, broker):
    first = organizer.get(at("people", series))
    assert first.context["duplicates"] is None
    assert "Search for similar names" in text_of(first)
    assert not DuplicateSearch.objects.exists(), "reading the page starts nothing"

    waiting = ask(organizer, series)
    assert "Waiting to start" in text_of(waiting)
    assert 'http-equiv="refresh"' in waiting.content.decode()
    ask(organizer, series)
    assert len(broker.sent) == 1, "the second visitor does not start the work again"
    asked = organizer.get(at("people-duplicates-progress", series)).json()
    assert (asked["words"], asked["is_over"], asked["is_late"]) == ("Waiting to start", False, False)

    search_duplicates_task(*broker.sent[0])
    assert organizer.get(at("people-duplicates-progress", series)).json()["is_over"]
    page = organizer.get(at("people", series))
    assert handles(page) == FOUND
    assert 'http-equiv="refresh"' not in page.content.decode()
    assert not work_on(series.pk, broker.sent[0][1]), "a message delivered again causes no work"
    german = organizer.get(at("people", series), headers={"accept-language": "de"})
    assert german.context["duplicates"].pairs[0].why != page.context["duplicates"].pairs[0].why


def test_the_list_follows_the_players_and_is_renewed_by_another_search(organizer, series, people, broker):
    ask(organizer, series)
    work_on(*broker.sent[0][:2])
    assert not organizer.get(at("people", series)).context["duplicate_search"].is_outdated
    merge(people)
    page = organizer.get(at("people", series))
    assert handles(page) == [], "merged since"
    assert "The list of players has changed since this search" in text_of(page)
    assert len(broker.sent) == 1, "the search was a moment ago"
    change(series, searched_at=timezone.now() - timedelta(minutes=2))
    again = organizer.get(at("people", series))
    assert again.context["duplicates"] is not None, "the earlier list stays meanwhile"
    assert len(broker.sent) == 2
    work_on(*broker.sent[1][:2])
    assert not organizer.get(at("people", series)).context["duplicate_search"].is_outdated


def test_players_who_have_met_or_left_since_are_not_listed(organizer, series, people, broker):
    ask(organizer, series)
    work_on(*broker.sent[0][:2])
    met = make_contest(series, standings=[("alexanderk", 1), ("alexander_k", 2)])
    assert handles(organizer.get(at("people", series))) == []
    met.standings.all().delete()
    assert handles(organizer.get(at("people", series))) == FOUND
    people["alexander_k"].standings.all().delete()
    assert handles(organizer.get(at("people", series))) == []


@pytest.mark.parametrize("stage", ["waiting", "comparing"])
def test_without_a_worker_the_page_says_so_and_compares_here(organizer, series, people, broker, stage):
    broker.is_away = True
    page = ask(organizer, series)
    assert "data-late hidden" in page.content.decode()
    row = DuplicateSearch.objects.get(series=series)
    change(series, progress=asdict(Progress(row.stamp, stage, at=timezone.now().isoformat())))
    ask(organizer, series, now=1)
    assert DuplicateSearch.objects.get(series=series).found is None, "not while a worker seems to be at work"
    silent_for(series, 16)
    late = organizer.get(at("people", series))
    assert "data-late hidden" not in late.content.decode()
    assert "There has been no progress for a while" in text_of(late)
    assert handles(ask(organizer, series, now=1)) == FOUND
    assert not work_on(series.pk, row.stamp), "the late message finds nothing to do"


def test_a_worker_of_an_earlier_request_writes_nothing(organizer, series, people, broker, monkeypatch):
    ask(organizer, series)
    find = duplicate_search.find_pairs

    def overtaken(*args):
        found = find(*args)
        silent_for(series, 16)
        ask(organizer, series)
        return found

    monkeypatch.setattr(duplicate_search, "find_pairs", overtaken)
    assert work_on(*broker.sent[0][:2])
    row = DuplicateSearch.objects.get(series=series)
    assert (row.found, row.progress["stage"], row.stamp) == (None, "waiting", broker.sent[1][1])


def test_a_search_that_fails_says_why_and_is_repeated_only_on_request(organizer, series, people, broker, monkeypatch):
    ask(organizer, series)
    with monkeypatch.context() as broken:
        broken.setattr(duplicate_search, "find_pairs", lambda *_args: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            search_duplicates_task(*broker.sent[0])
    failed = organizer.get(at("people", series))
    assert "The search failed: An unexpected error occurred on the server." in text_of(failed)
    assert len(broker.sent) == 1
    ask(organizer, series)
    work_on(*broker.sent[1][:2])
    assert handles(organizer.get(at("people", series))) == FOUND


def test_the_address_of_the_search_leads_to_the_list_of_players(organizer, series, people, broker):
    loaded = organizer.get(at("people-duplicates", series))
    assert (loaded.status_code, loaded["Location"]) == (302, f"{at('people', series)}#duplicates")
    assert broker.sent == []
    assert not DuplicateSearch.objects.exists()


def test_others_neither_start_a_search_nor_learn_of_one(client, organizer, series, people, broker):
    client.force_login(make_user("eve"))
    for name in ("people-duplicates", "people-duplicates-progress"):
        address = reverse(f"organize:{name}", args=[series])
        assert (client.post(address).status_code, client.get(address).status_code) == (403, 403)
    assert broker.sent == []
    assert not DuplicateSearch.objects.exists()
