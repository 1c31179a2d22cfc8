"""Handles with letters of other scripts: which ones deceive, and which are someone's ordinary name."""

from __future__ import annotations

import pytest

from contests.formats.base import ParsedStanding
from contests.matching.lookalikes import lookalike_warning, lookalikes_in, posing_letters, posing_warning
from contests.matching.players import close_names_warning, match_players
from contests.models import Player
from tests.factories import make_contest, make_series, make_unrated_player

#: "alice", "paypal" and "scope" in the Cyrillic letters of Unicode's list (UTS 39), "python" with a Greek rho.
ALICE, PAYPAL, SCOPE, PYTHON = (
    "\u0430lice",
    "\u0440\u0430\u0443\u0440\u0430l",
    "\u0455\u0441\u043e\u0440\u0435",
    "\u03a1ython",
)


@pytest.mark.parametrize(
    ("handle", "letters"),
    [
        (ALICE, "\u0430"), (PAYPAL, "\u0440\u0430\u0443"), (PYTHON, "\u03a1"), ("team_VA\u0422", "\u0422"),
        ("\u0418\u0432\u0430\u043do\u0432", "o"),  # Ivanov in Cyrillic, with a Latin o
    ],
)  # fmt: skip
def test_a_word_whose_letters_pose_as_those_of_another_script_is_found(handle, letters):
    assert posing_letters(handle) == letters


@pytest.mark.parametrize(
    "handle",
    [
        "alice", "Müller", "Yıldız", "Nguyễn Văn A", "Łukasz", "Иванов", "Ёлка 2007", "о'Нил", "Αλέξανδρος", "ΑΒΓ",
        "東京大学", "やまだ太郎", "ヤマダ", "김철수", "محمد", "דוד", "नरेंद्र", "สมชาย", "Գագիկ",
        "Яedford", "Tシャツ", "東京Tokyo", "µTorrent", "Ваня_vanya", "III Иван",
        "team α", "Σigma", "pi=π", "★彡name彡★",
    ],
)  # fmt: skip
def test_ordinary_names_and_obvious_mixtures_are_left_alone(handle):
    assert posing_letters(handle) == ""


def pairs(*handles: str, known: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    found = lookalikes_in(handles, [handle not in known for handle in handles])
    return [(handles[one], handles[other]) for one, other in found]


def test_a_handle_that_looks_like_another_one_of_the_file_is_found_in_either_order():
    assert pairs("alice", "bob", ALICE) == [(ALICE, "alice")]
    assert pairs(ALICE, "bob", "Alice") == [(ALICE, "Alice")]
    # Rows of known players have already been matched.
    assert pairs("alice", ALICE, known=(ALICE,)) == [("alice", ALICE)]
    assert pairs("alice", ALICE, known=("alice", ALICE)) == []
    # Cyrillic Ve and Greek Beta, both a capital B.
    assert pairs("\u0412ob", "\u0392ob") == [("\u0392ob", "\u0412ob")]
    assert pairs(SCOPE, "scope") == [(SCOPE, "scope")]


def test_handles_of_ascii_letters_and_the_same_handle_are_not_a_pair():
    assert pairs("Bill_1", "Bill_l", "BiII", "burn", "bum", "Ärger", "ärger") == []
    assert pairs("Иванов", "иванов", "Петров") == []


def test_the_warnings_name_handles_row_and_letters():
    text = lookalike_warning(ALICE, "alice", 7)
    for words in (f"“{ALICE}”", "“alice” in row 7", "U+0430 CYRILLIC SMALL LETTER A", "correct the handle"):
        assert words in text
    text = posing_warning(PYTHON, posing_letters(PYTHON))
    for words in (f"“{PYTHON}”", "U+03A1 GREEK CAPITAL LETTER RHO", "correct the handle"):
        assert words in text


def rows(*handles: str) -> list[ParsedStanding]:
    return [ParsedStanding(i, handle, None, "ranked", "", "", "", None, i) for i, handle in enumerate(handles, 1)]


@pytest.mark.django_db
@pytest.mark.parametrize("others", [0, 200])  # compared in memory, or looked up in the index
@pytest.mark.parametrize(
    ("known", "new"),
    [("alice", ALICE), (ALICE, "alice"), ("ann", "\u03b1nn"), ("Scope", SCOPE), ("Helen", "\u0397elen")],
)  # fmt: skip
def test_a_known_player_who_looks_the_same_is_suggested(known, new, others):
    series = make_series()
    for number in range(others):
        make_unrated_player(f"other{number}")
    make_contest(series, standings=[(known, 1), ("bob", 2)])
    assert Player.objects.count() == others + 2
    (match,) = match_players(rows(new), series_id=series.pk)
    assert match.how == "new"
    assert [each.handle for each in match.suggestions] == [known]
    warning = close_names_warning(match)
    assert warning is not None
    assert "letters that look alike" in warning


@pytest.mark.django_db
def test_short_handles_in_other_scripts_are_not_taken_for_each_other():
    series = make_series()
    make_contest(series, standings=[("山", 1), ("🎉", 2), ("한", 3), ("b0b", 4)])
    for match in match_players(rows("川", "🎈", "글", "bob"), series_id=series.pk):
        assert match.suggestions == ()
