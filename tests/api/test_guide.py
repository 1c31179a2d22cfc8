"""The examples in the guide run against the demo site."""

import json
import re
import shlex
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from accounts.tokens import create_token
from contests.models import Contest
from contests.services.contests import delete_contest
from contests.services.correcting import Correction, correct_standing
from contests.services.describing import ContestDescription, describe_contest, description_as_json
from ratings.models import RatingChange
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_series, rate, roll_back

GUIDE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
NUMBERS = ("rank", "field_size", "mu_before", "sigma_before", "mu", "sigma", "performance")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)


@pytest.fixture
def demonstration(db):
    call_command("demo")
    # As the command does after its commit: a search takes minutes if PostgreSQL believes that the tables are empty.
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def curl(client: Client, words: list[str], token: str = ""):
    """Send the request of a curl command line."""
    headers = {}
    address = ""
    for option, word in zip(words, [*words[1:], ""], strict=True):
        if option == "--header":
            headers.update([word.replace("$PODIUM_TOKEN", token).split(": ", 1)])
        elif option.startswith("$PODIUM"):
            address = option.replace("$PODIUM", "/api/v1")
    first = Contest.objects.finalized().order_by("pk").first()
    return client.get(address.replace("/contests/1/", f"/contests/{first.pk}/"), headers=headers)


def test_every_command_in_the_guide_succeeds(client, demonstration):
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("curl")]
    _, token = create_token("main", name="Website", lifetime=None)
    answers = {line: curl(client, shlex.split(line)[1:], token) for line in lines}
    assert len(lines) == 37
    wrong = [line for line, answer in answers.items() if answer.status_code != (400 if "page=abc" in line else 200)]
    assert wrong == []
    (refused,) = [answer.json() for answer in answers.values() if answer.status_code == 400]
    row, error = map(json.loads, blocks("json"))
    assert error == refused
    (listed, *_) = next(answer.json()["results"] for line, answer in answers.items() if "country=DE" in line)
    assert list(row) == list(listed)
    assert [list(row[name]) for name in ("last_contest", "player")] == [
        list(listed[name]) for name in ("last_contest", "player")
    ]


@pytest.mark.django_db
def test_the_function_for_private_data_in_the_guide_sends_the_token(client, monkeypatch):
    (source,) = (block for block in blocks("python") if "PODIUM_TOKEN" in block)
    make_series("secret", is_public=False)
    names: dict = {}
    exec(source, names)

    def opened(request):
        answer = client.get(request.full_url, headers=dict(request.header_items()))
        assert answer.status_code == 200
        return BytesIO(answer.content)

    names["urlopen"] = opened
    monkeypatch.setenv("PODIUM_TOKEN", create_token("main", name="Website", lifetime=None)[1])
    found = names["fetch_private"]("http://testserver/api/v1/communities/main/series/")
    assert [series["slug"] for series in found["results"]] == ["secret"]


@pytest.fixture
def guide(client):
    """Return the functions of the client in the guide, which send requests to the test's site."""
    (source,) = (block for block in blocks("python") if "def sync" in block)
    names: dict = {}
    exec(source, names)
    names["fetch"] = lambda address: client.get(address).json()
    return SimpleNamespace(**{name: names[name] for name in ("sync", "newest")})


def test_the_client_in_the_guide_keeps_a_copy(guide, demonstration):
    copy: dict = {}
    run = guide.sync("/api/v1/communities/main/series/harbour-cup/changes/", copy, 0)
    stored = RatingChange.objects.current().filter(series__slug="harbour-cup")
    assert run == 1
    assert len(copy) == stored.count() > 5000
    for row in stored:
        assert all(copy[row.contest_id, row.player_id][name] == getattr(row, name) for name in NUMBERS)


def append(series):
    make_contest(series, standings=[("dee", 1), ("ann", 2), ("eve", 3)])


def correct(series):
    row = series.contests.in_order().first().standings.get(player__handle="bob")
    correct_standing(row.pk, correction=Correction("disqualified", place=row.place), reason="a test")


def swap_dates(series):
    """Move the first contest behind the last one."""
    first = series.contests.in_order().first()
    end = series.contests.newest_first().first().ends_at + timedelta(days=1)
    description = replace(ContestDescription(**description_as_json(first)), ends_at=end)
    describe_contest(first.pk, description=description, reason="a test")


def delete(series):
    delete_contest(series.contests.existing().newest_first().first().pk, reason="a test")


def back(series):
    roll_back(series.pk, 1, reason="a test")


LIVES = {
    "append": [append],
    "correction": [correct],
    "deletion": [delete],
    "date change": [swap_dates],
    "roll-back": [append, back],
    "roll-back of a correction and the next result": [correct, back, append],
    "roll-back of a date change": [swap_dates, back],
    "roll-back of a date change and the next result": [swap_dates, back, append],
    "roll-back of a deletion": [delete, back],
    "everything": [append, correct, back, swap_dates, append, back, delete, correct, append],
}


@pytest.mark.django_db
@pytest.mark.parametrize("system", ["elo-mmr", "glicko2"])
@pytest.mark.parametrize("life", LIVES)
@pytest.mark.parametrize("asks_each_time", [True, False])
def test_a_client_that_follows_the_guide_ends_with_the_leaderboard(client, guide, life, system, asks_each_time):
    series = make_series("cup")
    choose_scheme(series.pk, system=system)
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 3), ("dee", 4)])
    make_contest(series, standings=[("cid", 1), ("ann", 2), ("bob", 2)])
    make_contest(series, standings=[("bob", 1), ("dee", 2), ("ann", 3)])
    rate(series)
    copy: dict = {}
    run = guide.sync("/api/v1/communities/main/series/cup/changes/", copy, 0)
    for event in LIVES[life]:
        event(series)
        rate(series)
        if asks_each_time:
            run = guide.sync("/api/v1/communities/main/series/cup/changes/", copy, run)
    run = guide.sync("/api/v1/communities/main/series/cup/changes/", copy, run)
    board = client.get("/api/v1/communities/main/series/cup/leaderboard/").json()
    assert board["run"] == run
    assert {
        player: (row["mu"], row["sigma"], row["rating"], row["number"]) for player, row in guide.newest(copy).items()
    } == {row["player"]["id"]: (row["mu"], row["sigma"], row["rating"], row["contests"]) for row in board["results"]}
