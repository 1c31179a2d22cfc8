"""The order of a player's names on pages."""

import threading

import pytest
from django.core.cache import cache
from django.core.signals import request_started

from contests.models import Community, Player
from tests.factories import make_contest, make_player, rate
from tests.pages import Page
from web.shared.names import first_name, initials_of, names_of, second_name

pytestmark = pytest.mark.django_db


def test_a_community_chooses_which_name_comes_first_and_pages_follow_at_once(client):
    make_player("lewis-hamilton", name="Lewis Hamilton")
    make_player("mv1", name="Max Verstappen")
    contest = make_contest(standings=[("mv1", 1), ("lewis-hamilton", 2), ("unnamed", 3)])
    rate(contest.series)
    address = f"/contests/{contest.pk}/"
    text = Page(client.get(address)).text
    assert "Max Verstappen mv1" in text
    assert "lewis-hamilton" not in text.split("Standings with rating changes")[0], "the same name in other letters"
    community = Community.objects.get()
    community.names_first = False
    community.save()
    text = Page(client.get(address)).text
    assert "mv1 Max Verstappen" in text
    assert "mv1" in Page(client.get("/")).text
    assert "Max Verstappen" not in Page(client.get("/")).text


def test_a_page_reads_the_choices_once(client, django_assert_max_num_queries):
    players = [make_player(f"p{number}", name=f"Player {number}") for number in range(5)]
    with django_assert_max_num_queries(1):
        assert [first_name(player) for player in players] == [f"Player {number}" for number in range(5)]
        assert [second_name(player) for player in players] == [f"p{number}" for number in range(5)]


def test_a_request_in_another_thread_changes_nothing_in_the_middle_of_a_page(django_assert_num_queries):
    player = make_player("p1", name="Player 1")
    first_name(player)
    cache.clear()
    other = threading.Thread(target=request_started.send, args=(None,))
    other.start()
    other.join()
    with django_assert_num_queries(0):
        assert first_name(player) == "Player 1"


@pytest.mark.parametrize(
    ("name", "initials"),
    [
        ("Alexander Wang (United States of America)", "AW"),
        ("Conor O'Neill", "CO"),
        ("Björk", "B"),
        ("jean-luc picard", "JP"),
        ("(anonymous)", "A"),
        ("!?", ""),
        ("2 fast", "F"),
        ("007bond", "B"),
        ("1742", "#"),
    ],
)
def test_initials_are_those_of_the_name_and_ignore_brackets(name, initials):
    assert initials_of(name) == initials


@pytest.mark.parametrize(("handle", "shown"), [
    ("Z" + "\u0335" * 30 + "algo", "Z" + "\u0335" * 3 + "algo"),
    ("Tèmítọ́pẹ́", "Tèmítọ́pẹ́"),
    ("e\u0323\u0302\u0301", "e\u0323\u0302\u0301"),  # a Vietnamese letter with every accent on its own
])  # fmt: skip
def test_a_letter_has_at_most_three_accents(handle, shown):
    player = Player(handle=handle, name="")
    assert first_name(player, names_first=True) == shown
    assert names_of(player, names_first=False).first == shown
