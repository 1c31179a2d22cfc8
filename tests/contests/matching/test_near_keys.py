"""Keys of similar names: the names they find, and their equality across processes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contests.matching.similarity import (
    LEAST_SHOWN,
    asked_keys,
    asked_texts,
    crossed_keys,
    crossed_texts,
    forms_of,
    hashed,
    known_keys,
    known_texts,
)
from tests.contests.matching.test_close_names import EDITS, PEOPLE, WAYS, edited
from tests.reference import alike as slow


def is_found(asked: tuple[str, ...], known: tuple[str, ...]) -> bool:
    forms = forms_of(*asked)
    return not (asked_texts(forms) | crossed_texts(forms)).isdisjoint(known_texts(forms_of(*known)))


@given(handle=st.text("abcdefghij", min_size=4, max_size=40), edit=EDITS)
def test_one_edit_anywhere_is_found_at_every_length(handle, edit):
    other = edited(handle, [edit])
    if slow.similarity((handle, "", ""), (other, "", "")) >= LEAST_SHOWN:
        assert is_found((handle,), (other,))


@given(handle=st.text("abcdefghij", min_size=11, max_size=40), edits=st.lists(EDITS, min_size=2, max_size=2))
def test_two_edits_of_a_long_handle_are_found_anywhere(handle, edits):
    other = edited(handle, edits)
    if slow.similarity((handle, "", ""), (other, "", "")) >= LEAST_SHOWN and len(forms_of(other).letters) >= 11:
        assert is_found((handle,), (other,))


@pytest.mark.parametrize("length", [6, 7, 8, 9, 10])
def test_two_edits_of_a_shorter_handle_are_found(length):
    handle = "qwertyuiop"[:length]
    for ways in itertools.product(WAYS, repeat=2):
        for places in itertools.product(range(length), repeat=2):
            other = edited(handle, [(ways[0], places[0], "a"), (ways[1], places[1], "s")])
            if slow.similarity((handle, "", ""), (other, "", "")) >= LEAST_SHOWN:
                assert is_found((handle,), (other,)), other


@pytest.mark.parametrize("way", WAYS)
def test_a_digit_is_not_a_letter_and_another_number_is_another_player(way):
    assert is_found((edited("alexander", [(way, 3, "z")]) + "7",), ("alexander7",))
    assert not is_found((edited("alexander", [(way, 3, "z")]) + "8",), ("alexander7",))


@given(one=PEOPLE, other=PEOPLE)
def test_similarities_other_than_misspelt_handles_are_found(one, other):
    letters = [forms_of(*each).letters for each in (one, other)]
    if slow.similarity(one, other) >= LEAST_SHOWN and (
        letters[0] == letters[1] or slow.of_handles(one[0], other[0]) == 0
    ):
        assert is_found(one, other)


@given(edits=st.lists(EDITS, min_size=1, max_size=2))
def test_a_handle_that_is_a_misspelt_name_is_found_on_either_side(edits):
    typed, known = (edited("korotkevich gennady", edits), "", ""), ("tourist", "Gennady Korotkevich", "BY")
    if slow.similarity(typed, known) >= LEAST_SHOWN:
        assert is_found(typed, known)
        assert is_found(known, typed)


def test_keys_are_stored_so_they_must_never_change():
    texts = ["", "l|", "lann|", "lann|7", "l王小明|", "x" * 200]
    keys = hashed(texts)
    assert len(set(keys.tolist())) == len(texts)
    assert hashed(["lann|"])[0] == keys[2], "a hash does not depend on the other texts"
    forms = [forms_of("ann"), forms_of("alexander", "Alexander K")]
    keys, owners = known_keys(forms)
    assert len(keys) == sum(len(known_texts(name)) for name in forms) == len(owners)
    asked = [set(of(forms[1:])[0].tolist()) for of in (asked_keys, crossed_keys)]
    assert set.union(*asked) >= set(keys[owners == 1].tolist())
