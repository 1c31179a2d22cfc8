"""The players that an address names, and their head-to-head results."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict

from contests.models import Player, PlayerAlias
from contests.services.merging import merge_players
from ratings.models import Rating, RatingChange
from ratings.publishing.schemes import choose_scheme
from ratings.queries.comparisons import address_of, chance_text, chance_words, changes_of, requested_players
from ratings.queries.head_to_head import Meetings, chances_before, chances_now
from ratings.queries.snapshot import snapshot_of
from ratings.systems import get_system, win_probability
from tests.factories import make_contest, make_player, make_series, rate

pytestmark = pytest.mark.django_db


def named(query):
    return requested_players(QueryDict(query), Player.objects.existing(), "main", AnonymousUser())


def handles(query):
    return [player.handle for player in named(query).players]


@pytest.fixture
def people():
    for handle in ["ann", "bob", "Qubit", "llc", "Qubit, LLC", "Eat, Sleep, Pwn, Repeat", "a,b"]:
        make_player(handle)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("players=ann,bob", ["ann", "bob"]),
        ("players=bob, ANN ,", ["bob", "ann"]),
        ("player=bob&player=ann", ["bob", "ann"]),
        ("players=ann&player=bob", ["ann", "bob"]),
        ("players=ann&players=bob", ["ann", "bob"]),
        ("players=Qubit,LLC", ["Qubit", "llc"]),
        ("players=Qubit, llc", ["Qubit", "llc"]),
        ("players=ann, Qubit, LLC, bob", ["ann", "Qubit, LLC", "bob"]),
        ("player=Qubit, LLC", ["Qubit, LLC"]),
        ("players=eat, sleep, pwn, repeat,ann", ["Eat, Sleep, Pwn, Repeat", "ann"]),
        ("players=a,b", ["a,b"]),
    ],
)
def test_handles_are_separated_by_commas_even_if_they_contain_some(people, query, found):
    assert handles(query) == found


def test_two_handles_are_not_read_as_one_that_joins_them(people):
    make_player("a")
    make_player("b")
    assert handles("players=a,b") == ["a", "b"]


def test_the_address_made_from_players_names_the_same_players(people):
    for asked in (["ann", "bob"], ["Qubit", "llc"], ["Qubit, LLC", "ann"], ["a,b", "Eat, Sleep, Pwn, Repeat"]):
        assert handles(address_of([make_player(handle) for handle in asked], "cup")) == asked
    assert address_of([make_player("ann"), make_player("bob")], "cup") == "series=cup&players=ann,bob"
    assert address_of([make_player("a&b"), make_player("+1 ")]) == "players=a%26b,%2B1"


def test_players_named_twice_or_by_a_former_handle_appear_once(people):
    PlayerAlias.objects.create(handle="Anna", handle_key="anna", player=make_player("ann"))
    make_contest(standings=[("anne", 1), ("cid", 2)])
    merge_players(make_player("ann").pk, make_player("anne").pk, reason="the same person")
    found = named("players=anna,bob,ann,ANNE")
    assert [player.handle for player in found.players] == ["ann", "bob"]
    assert [player.handle for player in found.repeated] == ["ann"]
    assert found.unknown == []


def test_the_first_eight_players_are_compared_and_the_rest_counted():
    for number in range(11):
        make_player(f"p{number}")
    found = named("players=" + ",".join(f"p{number}" for number in range(11)))
    assert [player.handle for player in found.players] == [f"p{number}" for number in range(8)]
    assert found.left_out == 3


@pytest.mark.parametrize(
    "query", ["players=%00", "players=" + "x" * 10_000, "players=" + "%F0%9F%98%80," * 3000, "player=%E2%80%AE"]
)
def test_texts_that_cannot_be_handles_are_unknown(query):
    found = named(query)
    assert found.players == []
    assert len(found.unknown) >= 1


def test_the_number_of_queries_is_fixed(people, django_assert_max_num_queries):
    for query in ("players=ann", "players=" + ",".join(["ann", "bob", "nobody", "Qubit, LLC"] * 8)):
        with django_assert_max_num_queries(3):
            named(query)


def meetings_of(series, *wanted):
    snapshot, players = snapshot_of(series), [make_player(handle) for handle in wanted]
    changes = changes_of(snapshot, players)
    return snapshot, Meetings(players, [change for own in changes for change in own])


def test_wins_losses_and_ties_count_common_contests():
    series = make_series()
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 3)])
    make_contest(series, standings=[("ann", 2), ("bob", 2), ("cid", 1)])
    make_contest(series, standings=[("bob", 1), ("ann", 2)])
    make_contest(series, standings=[("ann", 1), ("dee", 2)])
    rate(series)
    snapshot, meetings = meetings_of(series, "ann", "bob", "cid")
    scores = meetings.scores()
    assert (scores[0][1].wins, scores[0][1].losses, scores[0][1].ties) == (1, 1, 1)
    assert (scores[1][0].wins, scores[1][0].losses, scores[1][0].ties) == (1, 1, 1)
    assert (scores[2][0].wins, scores[2][0].losses, scores[2][0].meetings) == (1, 1, 2)
    assert [meeting.outcome for meeting in meetings.of_two(snapshot, 0.0)] == [-1, 0, 1]


def test_teammates_do_not_count_as_opponents():
    series = make_series()
    choose_scheme(series.pk, system="trueskill")
    teams = {"ann": "red", "bob": "red", "cid": "blue", "dee": "blue"}
    for _ in range(2):
        make_contest(series, standings=[("ann", 1), ("bob", 1), ("cid", 2), ("dee", 2)], teams=teams)
    rate(series)
    snapshot, meetings = meetings_of(series, "ann", "bob", "cid")
    scores = meetings.scores()
    assert (scores[0][1].meetings, scores[0][1].together) == (0, 2)
    assert (scores[0][2].wins, scores[0][2].together) == (2, 0)
    assert [meeting.outcome for meeting in meetings.of_two(snapshot, 0.0)] == [None, None]


@pytest.mark.parametrize("system", ["elo-mmr", "elo", "ladder", "trueskill", "topcoder", "codeforces"])
def test_chances_equal_predictions_from_complete_beliefs(system):
    series = make_series()
    choose_scheme(series.pk, system=system)
    for number in range(4):
        make_contest(series, standings=[(f"p{(i * (number + 1)) % 5}", i + 1) for i in range(5)])
    rate(series)
    snapshot, ratings = snapshot_of(series), list(Rating.objects.filter(series=series).order_by("player"))
    rules = get_system(snapshot.scheme.system, **snapshot.scheme.parameters)
    beliefs = rules.new_beliefs(len(ratings))
    beliefs.unpack(list(range(len(ratings))), [bytes(rating.belief) for rating in ratings])
    found = chances_now(snapshot, ratings, 0.0).win
    for a in range(len(ratings)):
        for b in range(len(ratings)):
            if a != b:
                assert found[a, b] == pytest.approx(float(win_probability(rules, beliefs, a, b)), abs=1e-12)


def test_newcomers_have_even_chances_against_each_other():
    series = make_series()
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    first, second = RatingChange.objects.order_by("rank")
    assert chances_before(snapshot_of(series), [first], [second], 0.0).win.tolist() == pytest.approx([0.5])
    assert len(chances_before(snapshot_of(series), [], [], 0.1).draw) == 0


def test_an_upset_is_a_win_against_odds_of_three_to_one():
    series = make_series()
    for _ in range(8):
        make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 3), ("dee", 4)])
    make_contest(series, standings=[("dee", 1), ("cid", 2), ("bob", 3), ("ann", 4)])
    rate(series)
    snapshot, meetings = meetings_of(series, "ann", "dee")
    newest, *older = meetings.of_two(snapshot, 0.0)
    assert newest.is_upset
    assert newest.expected > 0.75
    assert not any(meeting.is_upset for meeting in older)


@pytest.mark.parametrize(
    ("chance", "text", "words"),
    [(0.5, "50 %", "about even"), (0.999, "> 99 %", "almost certain"), (0.001, "< 1 %", "almost no chance"),
     (0.85, "85 %", "clear favourite"), (0.73, "73 %", "favourite"), (0.57, "57 %", "about even"),
     (0.944, "94 %", "clear favourite"), (0.946, "95 %", "almost certain"), (0.054, "5 %", "almost no chance"),
     (0.43, "43 %", "about even"), (0.3, "30 %", "underdog"), (0.15, "15 %", "clear underdog")],
)  # fmt: skip
def test_no_chance_is_displayed_as_certain(chance, text, words):
    assert (chance_text(chance), chance_words(chance)) == (text.replace(" ", "\u00a0"), words)
