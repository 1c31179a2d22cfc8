"""Similar names: the fast search compared with the slow one, and examples from real lists."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contests.matching.close_names import Limits, find_alike
from contests.matching.similarity import LEAST_SHOWN, LEAST_WARNED, forms_of, likeness
from tests.reference import alike as slow

HANDLES = st.text(alphabet="abéo0 -_1Ł", max_size=12)
# Longer handles with mistakes are made from a few stems, because random ones would hardly ever be similar.
STEMS = st.sampled_from(["alexanderk", "alexander_grothendieck", "maria.petrova", "kostya", "王小明", "ivanov_petr"])
EDITED = st.builds(
    lambda stem, at, put, cut: stem[: at % len(stem)] + put + stem[at % len(stem) + cut :],
    STEMS, st.integers(0, 40), st.sampled_from(["", "x", "k3", "-", "É"]), st.integers(0, 2),
)  # fmt: skip
PEOPLE = st.tuples(
    HANDLES | EDITED | STEMS,
    st.sampled_from(["", "Petr Ivanov", "Ivanov Pëtr", "Maria Petrova", "Madonna"]),
    st.sampled_from(["", "DE", "FR"]),
)


def similarity(one: str | tuple[str, ...], other: str | tuple[str, ...]) -> int:
    """Return the similarity of two players, given by handles, or by handle, name and country."""
    forms = [forms_of(*((each,) if isinstance(each, str) else each)) for each in (one, other)]
    found = likeness(*forms)
    return found.similarity if found else 0


@given(asked=st.lists(PEOPLE, max_size=25), known=st.lists(PEOPLE, max_size=25))
def test_the_search_finds_what_comparing_all_pairs_finds(asked, known):
    found = find_alike([forms_of(*one) for one in asked], [forms_of(*one) for one in known])
    assert not found.is_cut
    expected = [
        {i: alike for i, other in enumerate(known) if (alike := slow.similarity(one, other)) >= LEAST_SHOWN}
        for one in asked
    ]
    assert [{i: result.similarity for i, result in row} for row in found.alike] == expected


def edited(handle: str, edits: list[tuple[str, int, str]]) -> str:
    for what, at, letter in edits:
        at %= len(handle)
        rest = handle[at + (what != "add") :]
        put = {"add": letter, "change": letter, "leave out": "", "swap": rest[:1] + handle[at]}[what]
        handle = handle[:at] + put + (rest[1:] if what == "swap" else rest)
    return handle


WAYS = ["add", "change", "leave out", "swap"]
EDITS = st.tuples(st.sampled_from(WAYS), st.integers(0, 60), st.sampled_from("xyz"))


@given(handle=st.text("abcdefghij", min_size=4, max_size=40), edits=st.lists(EDITS, min_size=1, max_size=2))
def test_handles_of_every_length_are_found_by_two_edits_anywhere(handle, edits):
    other = edited(handle, edits)
    found = find_alike([forms_of(handle)], [forms_of(other)]).alike[0]
    expected = slow.similarity((handle, "", ""), (other, "", ""))
    assert [result.similarity for _, result in found] == [expected] * (expected >= LEAST_SHOWN)


@pytest.mark.parametrize("length", [5, 7, 8, 9, 17, 18, 19, 20, 30])
def test_every_pair_of_places_may_be_misspelt(length):
    handle = ("qwertyuiopasdfghjklzxcvbnm" * 2)[:length]
    places = (0, 1, 4, 5, 6, -1, -2, -5, length // 2)
    pairs = [(ways, i, k) for ways in itertools.product(WAYS, WAYS) for i in places for k in places]
    others = [edited(handle, [(ways[0], i, "ä"), (ways[1], k, "ж")]) for ways, i, k in pairs]
    found = find_alike([forms_of(handle)], [forms_of(other) for other in others], Limits(10**6, 10**6, 10**6)).alike[0]
    alike = [slow.similarity((handle, "", ""), (other, "", "")) for other in others]
    assert {i for i, _ in found} == {i for i, similarity in enumerate(alike) if similarity >= LEAST_SHOWN}


@given(one=PEOPLE, other=PEOPLE)
def test_similarity_is_symmetric_and_ignores_case(one, other):
    assert similarity(one, other) == similarity(other, one)
    assert similarity((one[0].upper(), *one[1:]), other) == similarity((one[0].upper().lower(), *one[1:]), other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("alexander_k", "alexanderk"),
        ("Müller.Hans", "mullerhans"),
        ("al3x4nd3r", "alexander"),
        ("ivanov_petr", "Petr Ivanov"),
        ("dmitriy", "dmitryi"),
        ("grothendieck", "grothendeick"),
        ("Kowalski Łukasz", "lukasz-kowalski"),
        ("marina", "mаrinа"),
        (("pi", "Petr Ivanov", "CZ"), ("petya", "Ivanov Petr", "CZ")),
        ("Gennady Korotkevch", ("tourist", "Gennady Korotkevich", "BY")),
        ("Korotkevihc, Gennady", ("tourist", "Gennady Korotkevich", "")),
        (("gk", "Gennady Korotkevic", "BY"), ("Korotkevich Gennady", "", "BY")),
    ],
)
def test_pairs_that_are_probably_one_person_get_a_warning(one, other):
    assert similarity(one, other) >= LEAST_WARNED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ann", "ana"),
        ("bob", "rob"),
        ("player1", "player2"),
        ("team2019", "team2020"),
        ("tourist", "petr"),
        ("alexander", "aleksei"),
        ("", ""),
        ("...", "!!!"),
        (("pi", "Petr Ivanov", "CZ"), ("petya", "Petr Ivanov", "BG")),
        (("kostya", "Kostya Orlov", "RU"), ("kostia", "Maria Petrova", "BG")),
        (("Gennady Korotkevch", "", "CZ"), ("tourist", "Gennady Korotkevich", "BY")),
        ("Red Team 2", ("reds", "Red Team 3", "")),
        ("Ann Li", ("al", "Ana Lo", "")),
    ],
)
def test_pairs_of_different_people_are_not_shown(one, other):
    assert similarity(one, other) < LEAST_SHOWN


def test_an_added_number_is_shown_without_a_warning():
    assert LEAST_SHOWN <= similarity("dmitriy", "dmitriy2") < LEAST_WARNED


@pytest.mark.parametrize(("asked", "known"), [("dmitriy", "dmitriy2"), ("dmitriy2", "dmitriy")])
def test_a_number_is_found_on_either_side(asked, known):
    found = find_alike([forms_of(asked)], [forms_of("someone"), forms_of(known)])
    assert [(i, result.why) for i, result in found.alike[0]] == [(1, "the same apart from a number")]


ONE_OF_NAMES = ("tourist", "Gennady Korotkevich", "BY")


@pytest.mark.parametrize("typed", ["Gennady Korotkevch", "Korotkevihc, Gennadi", "gennady.korotkevic"])
def test_a_handle_that_is_a_misspelt_name_is_found_on_either_side(typed):
    for asked, known in (((typed,), ONE_OF_NAMES), (ONE_OF_NAMES, (typed,))):
        alike = find_alike([forms_of(*asked)], [forms_of("someone", "Some One"), forms_of(*known)]).alike[0]
        expected = slow.similarity((typed, "", ""), ONE_OF_NAMES)
        assert [(i, result.similarity) for i, result in alike] == [(1, expected)]
        assert expected >= LEAST_WARNED


def test_names_and_countries_count_for_or_against_similar_handles():
    alone = similarity("alexandra", "aleksandra")
    assert similarity(("alexandra", "Alexandra Orlova", ""), ("aleksandra", "Orlova Alexandra", "")) > alone
    assert similarity(("alexandra", "Alexandra Orlova", ""), ("aleksandra", "Wei Zhang", "")) < alone
    assert similarity(("alexandra", "", "DE"), ("aleksandra", "", "FR")) < alone


@pytest.mark.parametrize(
    "names",
    [
        [f"player{i:05}" for i in range(4_000)],
        ["ab" * (i % 7 + 1) + "a" * (i // 7 % 9) + "b" * (i // 63) for i in range(4_000)],
        ["Anna Smith" + "." * i for i in range(100)] * 40,
        ["x" * 120 + chr(ord("a") + i % 26) + "y" * 5 for i in range(4_000)],
    ],
    ids=["numbered", "two letters", "one name", "long"],
)
def test_adversarial_lists_take_no_longer_and_a_cut_is_reported(names):
    forms = [forms_of(name) for name in names]
    began = time.perf_counter()
    found = find_alike(forms, forms, Limits(pairs=20, kept=5))
    assert time.perf_counter() - began < 10
    assert max(map(len, found.alike)) <= 5
    # Different numbers are different people, so there is nothing to leave out.
    assert found.is_cut == (names[0] != "player00000")
