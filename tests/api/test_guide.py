"""The guide: its examples run against the demonstration, and say what the site says."""

import json
import re
import shlex
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from contests.models import Contest
from ratings.models import RatingChange

GUIDE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
NUMBERS = ("rank", "field_size", "mu_before", "sigma_before", "mu", "sigma", "performance")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)


@pytest.fixture
def demonstration(db):
    call_command("demo")


def curl(client: Client, words: list[str]):
    """Ask what a command line of curl asks."""
    headers = {}
    address = ""
    for option, word in zip(words, [*words[1:], ""], strict=True):
        if option == "--header":
            headers.update([word.split(": ", 1)])
        elif option.startswith("$PODIUM"):
            address = option.replace("$PODIUM", "/api/v1")
    first = Contest.objects.finalized().order_by("pk").first()
    return client.get(address.replace("/contests/1/", f"/contests/{first.pk}/"), headers=headers)


def test_every_command_of_the_guide_is_answered(client, demonstration):
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("curl")]
    answers = {line: curl(client, shlex.split(line)[1:]) for line in lines}
    assert len(lines) == 20
    wrong = [line for line, answer in answers.items() if answer.status_code != (400 if "page=abc" in line else 200)]
    assert wrong == []
    (refused,) = [answer.json() for answer in answers.values() if answer.status_code == 400]
    assert json.loads(blocks("json")[0]) == refused


def test_the_client_in_the_guide_keeps_a_copy(client, demonstration):
    (source,) = blocks("python")
    names: dict = {}
    exec(source, names)
    names["fetch"] = lambda address: client.get(address).json()
    copy: dict = {}
    run = names["sync"]("/api/v1/series/harbour-cup/changes/", copy, 0)
    stored = RatingChange.objects.current().filter(series__slug="harbour-cup")
    assert run == 1
    assert len(copy) == stored.count() > 5000
    for row in stored:
        assert all(copy[row.contest_id, row.player_id][name] == getattr(row, name) for name in NUMBERS)
