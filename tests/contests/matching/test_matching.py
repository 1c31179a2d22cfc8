"""Matching the rows of a file to players."""

from __future__ import annotations

import pytest

from contests.formats import ParsedStanding
from contests.handles import handle_key
from contests.matching import known_names
from contests.matching.players import close_names_warning, match_players
from contests.models import ContestState, PlayerAlias
from tests.factories import make_contest, make_player, make_series, make_unrated_player

pytestmark = pytest.mark.django_db


def rows(*people: str | tuple[str, ...]) -> list[ParsedStanding]:
    """Rows of a file, of handles, or of handle, name and country."""
    listed = [(one,) if isinstance(one, str) else one for one in people]
    return [
        ParsedStanding(i, *(one[:1]), None, "ranked", *(*one[1:], "", "")[:2], "", None, i)
        for i, one in enumerate(listed, 1)
    ]


@pytest.fixture
def series():
    return make_series("harbour-cup")


def suggested(match):
    return [suggestion.handle for suggestion in match.suggestions]


def test_handles_aliases_and_merged_players_are_matched_regardless_of_case(series):
    ann, bob = make_player("Ann"), make_player("Bob")
    PlayerAlias.objects.create(handle="annie", handle_key="annie", player=ann)
    make_player("old bob", merged_into=bob)
    found = match_players(rows("ANN", "Annie", "Old Bob", "zoe"), series_id=series.pk)
    assert [(match.handle, match.key, match.player_id, match.how) for match in found] == [
        ("ANN", "ann", ann.pk, "handle"),
        ("Annie", "annie", ann.pk, "alias"),
        ("Old Bob", "old bob", bob.pk, "merged"),
        ("zoe", "zoe", None, "new"),
    ]
    assert found.cut == ""


def test_new_handles_get_at_most_three_suggestions_the_likeliest_first(series):
    for handle in ("alexander_k", "aleksanderk", "alexanderka", "alexanders", "zoe"):
        make_unrated_player(handle)
    (match,) = match_players(rows("AlexanderK"), series_id=series.pk)
    assert suggested(match)[0] == "alexander_k"
    assert len(match.suggestions) == 3
    assert match.suggestions[0].why == "the same letters, written differently"
    assert "zoe" not in suggested(match)


def test_players_of_the_series_come_before_those_of_others(series):
    make_contest(make_series("far-away"), standings=[("alexandrina", 1)])
    make_contest(series, standings=[("alexandrine", 1)])
    (match,) = match_players(rows("alexandrinx"), series_id=series.pk)
    assert suggested(match) == ["alexandrine", "alexandrina"]


def test_players_of_a_deleted_contest_are_not_players_of_its_series(series):
    contest = make_contest(series, standings=[("alexandrine", 1)])
    contest.state = ContestState.DELETED
    contest.save()
    make_contest(series, standings=[("alexandrina", 1)])
    (match,) = match_players(rows("alexandrinx"), series_id=series.pk)
    assert suggested(match) == ["alexandrina", "alexandrine"]


def test_name_and_country_of_the_file_count(series):
    make_unrated_player("petya", name="Petr Ivanov", country="CZ")
    make_unrated_player("pi", name="Petr Ivanov", country="BG")
    (match,) = match_players(rows(("petr_1990", "IVANOV Petr", "CZ")), series_id=series.pk)
    (only,) = match.suggestions
    assert (only.handle, only.name, only.country, only.why) == ("petya", "Petr Ivanov", "CZ", "same name and country")


def test_aliases_are_compared_and_named_in_the_reason(series):
    player = make_unrated_player("tourist")
    PlayerAlias.objects.create(handle="korotkevich", handle_key="korotkevich", player=player)
    (match,) = match_players(rows("korotkevitch"), series_id=series.pk)
    (only,) = match.suggestions
    assert only.player_id == player.pk
    assert only.why == "handles differ by one letter (other name: “korotkevich”)"


def test_merged_players_are_not_suggested(series):
    make_player("alexanderk", merged_into=make_player("zoe"))
    (match,) = match_players(rows("alexander_k"), series_id=series.pk)
    assert match.suggestions == ()


def test_players_named_in_the_file_are_not_suggested_for_other_rows(series):
    make_unrated_player("alexanderk")
    both = match_players(rows("alexanderk", "alexander_k"), series_id=series.pk)
    assert both[1].how == "new"
    assert both[1].suggestions == ()
    (alone,) = match_players(rows("alexander_k"), series_id=series.pk)
    assert suggested(alone) == ["alexanderk"]


def test_the_warning_names_both_and_is_given_only_where_a_coincidence_is_unlikely(series):
    make_unrated_player("alexanderk")
    make_unrated_player("maria")
    near, far, known = match_players(rows("alexander_k", "marie", "Maria"), series_id=series.pk)
    text = close_names_warning(near)
    assert text is not None
    assert text.startswith("“alexander_k” is new, but close to the known player “alexanderk”")
    assert close_names_warning(far) is None
    assert close_names_warning(known) is None


@pytest.mark.parametrize("size", [1, 200])
def test_matching_takes_nine_queries_however_many_rows(series, django_assert_num_queries, size):
    make_contest(series, players=size)
    handles = [f"p{i}" for i in range(size)] + [f"someone new {i}" for i in range(size)]
    # series; players, whom they were merged into, aliases; known players without results; whether there are many
    # players; players of the series, others, their other names
    with django_assert_num_queries(9):
        found = match_players(rows(*handles), series_id=series.pk)
    assert sum(match.how == "new" for match in found) == size


def test_rows_of_known_players_need_no_comparison(series, django_assert_num_queries):
    make_contest(series, players=3)
    with django_assert_num_queries(4):
        assert [match.how for match in match_players(rows("p0", "p2"), series_id=series.pk)] == ["handle"] * 2


def test_a_warning_says_that_not_all_players_were_compared(series, monkeypatch):
    monkeypatch.setattr(known_names, "MOST_PLAYERS", 3)
    monkeypatch.setattr(known_names, "PLAYERS_PER_LOOKUP", 4)
    make_contest(series, players=3)
    make_unrated_player("alexanderk")
    found = match_players(rows("alexander_k"), series_id=series.pk)
    assert found[0].suggestions == ()
    assert found.cut == "Podium compared new names with 3 players, not with all of them."


@pytest.mark.parametrize("aliases", [False, True])
def test_on_a_site_of_many_players_few_names_are_looked_up_and_the_same_players_are_found(
    series, django_assert_num_queries, aliases
):
    people = [("alexandrina", "Vera Orlova"), ("petya", "Petr Ivanov"), ("dmitriy2", ""), ("maria.petrova", "")]
    for handle, name in people:
        player = make_unrated_player(f"x{handle[::-1]}" if aliases else handle, name=name)
        if aliases:
            PlayerAlias.objects.create(handle=handle, handle_key=handle, player=player)
    make_player("alexandrino", merged_into=make_player("zoe"))
    make_contest(series, standings=[("maria.petrova" if not aliases else "xavortep.airam", 1)])
    asked = rows("alexandrinx", ("someone", "IVANOV Petr", ""), "dmitriy", "petrova-maria", "alexnadrina", "nobody")
    few = match_players(asked, series_id=series.pk)
    make_contest(make_series(), players=len(asked) * known_names.PLAYERS_PER_LOOKUP)
    # series; players, whom they were merged into, aliases; whether there are many players; keys, players,
    # other names, which of them are players of the series
    with django_assert_num_queries(9):
        many = match_players(asked, series_id=series.pk)
    assert [match.suggestions for match in many] == [match.suggestions for match in few]
    assert [len(match.suggestions) for match in many] == [1, 1, 1, 1, 1, 0]


def test_a_first_name_that_many_players_share_needs_no_warning(series, monkeypatch):
    monkeypatch.setattr(known_names, "PLAYERS_PER_LOOKUP", 1)
    monkeypatch.setattr(known_names, "SHARERS", 2)
    for handle, surname in (
        ("kite", "Holm"),
        ("rain", "Vega"),
        ("mist", "Bird"),
        ("gust", "Pohl"),
        ("dusk", "Woodard"),
    ):
        make_unrated_player(handle, name=f"Alexandrina {surname}")
    found = match_players(rows("Alexandrina Woodrad", ("breeze", "Alexandrina Long", "")), series_id=series.pk)
    assert [suggested(match) for match in found] == [["dusk"], []]
    assert found.cut == ""


def test_the_same_new_handle_twice_is_matched_twice(series):
    make_unrated_player("alexanderk")
    twice = match_players(rows("alexander_k", "Alexander_K"), series_id=series.pk)
    assert [suggested(match) for match in twice] == [["alexanderk"], ["alexanderk"]]
    assert {match.key for match in twice} == {handle_key("alexander_k")}


def test_no_rows_give_no_matches(series):
    assert match_players([], series_id=series.pk) == []
