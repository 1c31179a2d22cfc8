"""Scores of the two sides in tables of games: in two columns, beside results, in sets, and of byes."""

from __future__ import annotations

import pytest

from tests.contests.formats.reading import read


def scores(table):
    """The scores of each game, in the order of the file."""
    contests, report = read(table, "games.csv")
    assert report.errors == []
    return [[(row.handle, row.score) for row in contest.standings] for contest in contests]


def first_error(table):
    return read(table, "games.csv")[1].errors[0]


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        ("date,home,score,away,score", "Lions,1,Wolves,2", [("Lions", 1), ("Wolves", 2)]),
        ("date,away,score,home,score", "Wolves,1,Lions,0", [("Lions", 0), ("Wolves", 1)]),
        ("date,white,result,black,result", "ann,½,bob,½", [("ann", 0.5), ("bob", 0.5)]),
        ("date,home,away,score,score", "Lions,Wolves,0,0", [("Lions", 0), ("Wolves", 0)]),
        ("date,player,opponent,score,opp score", "ann,bob,1,3", [("ann", 1), ("bob", 3)]),
    ],
)
def test_two_columns_of_scores_have_the_scores_of_the_sides(header, row, expected):
    assert scores(f"{header}\n2025-05-04,{row}\n") == [expected]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("H,3,1", [3, 1]),
        ("D,2,2", [2, 2]),
        # After penalties.
        ("A,1,1", [1, 1]),
        ("1-0,3,1", [3, 1]),
        ("2-1,30,28", [2, 1]),
        ("A,,", [0, 1]),
        ("A,-,-", [0, 1]),
    ],
)
def test_scores_beside_a_result_count_if_they_agree(cells, expected):
    ((home, away),) = scores(f"date,home,away,result,home goals,away goals\n2025-05-04,Lions,Bears,{cells}\n")
    assert [home[1], away[1]] == expected


@pytest.mark.parametrize("cells", ["A,4,0", "H,0,1", "D,2,1", "0-1,4,0"])
def test_scores_that_contradict_the_result_are_errors(cells):
    error = first_error(f"date,home,away,result,home goals,away goals\n2025-05-04,Lions,Bears,{cells}\n")
    assert (error.row, error.column) == (2, "result")
    assert error.message == "The scores contradict the result; correct one of the two."


@pytest.mark.parametrize(
    ("sets", "expected"),
    [("7–64, 6–3", [2, 0]), ("67–7 6–3 6–1", [2, 1]), ("63-7, 610-7", [0, 2]), ("7-6 6-7 7-5", [2, 1])],
)
def test_tie_breaks_that_lost_their_superscript_are_sets(sets, expected):
    ((one, other),) = scores(f'date,player 1,player 2,score\n2025-05-04,ann,bob,"{sets}"\n')
    assert [one[1], other[1]] == expected


def test_zeros_beside_points_are_doubted_with_a_remedy_that_fits_the_columns():
    head, zeros = "date,white,result,black,result\n2025-05-04,ann,1,bob,0\n", "2025-05-04,ann,0,bob,0\n"
    (warning,) = read(head + zeros, "games.csv")[1].warnings
    assert (warning.row, "leave the row out" in warning.message) == (3, True)
    # The remedies.
    assert scores(head + zeros.replace("0,bob,0", "½,bob,½"))[1] == [("ann", 0.5), ("bob", 0.5)]
    (warning,) = read("date,white,black,result\n2025-05-04,ann,bob,0-0\n", "games.csv")[1].warnings
    assert "enter -:-" in warning.message
    assert scores("date,white,black,result\n2025-05-04,ann,bob,-:-\n") == [[("ann", 0), ("bob", 0)]]


def test_as_many_sets_for_both_sides_are_no_result():
    error = first_error("date,player 1,player 2,score\n2025-05-04,ann,bob,6-4 4-6\n")
    assert error.message.startswith("Both sides won the same number of sets")


@pytest.mark.parametrize(
    ("word", "result", "points"),
    [
        ("half-point bye", "½", 0.5),
        ("half-point bye", "", 0.5),
        ("½-bye", "", 0.5),
        ("not paired", "", 0),
        ("0-pt bye", "", 0),
        ("bye (requested)", "", 1),
        ("full-point bye", "", 1),
        ("Walkover", "1-0", 1),
        ("kein Gegner", "", 1),
        ("Libre", "", 1),
        # What the file gives counts.
        ("bye", "½", 0.5),
    ],
)
def test_words_for_byes_are_no_opponents(word, result, points):
    assert scores(f"date,white,black,result\n2025-05-04,ann,{word},{result}\n") == [[("ann", points)]]


@pytest.mark.parametrize(
    ("letters", "outcomes"),
    [
        ("V N D", "1-0 =-= 0-1"),
        ("V E D", "1-0 =-= 0-1"),
        ("S U N", "1-0 =-= 0-1"),
        ("G E P", "1-0 =-= 0-1"),
        ("W D L", "1-0 =-= 0-1"),
    ],
)
def test_letters_of_other_languages_are_results(letters, outcomes):
    rows = "".join(f"2025-05-0{i},ann,bob,{letter}\n" for i, letter in enumerate(letters.split(), 1))
    found = scores(f"date,player 1,player 2,result\n{rows}")
    points = {"1-0": [1, 0], "=-=": [0.5, 0.5], "0-1": [0, 1]}
    assert [[score for _, score in game] for game in found] == [points[outcome] for outcome in outcomes.split()]


@pytest.mark.parametrize(
    ("result", "is_walkover"), [("5-3 F", False), ("1-3 F", False), ("2-2 F", False), ("1-0 F", True), ("0-1 ff", True)]
)
def test_a_final_score_is_no_forfeit(result, is_walkover):
    (contest,), _ = read(f"date,white,black,result\n2025-05-04,ann,bob,{result}\n", "games.csv")
    assert contest.game.is_walkover == is_walkover


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("3 juin 2025", 6),
        ("5 juillet 2025", 7),
        ("10 août 2025", 8),
        ("1er mai 2025", 5),
        ("3 févr. 2025", 2),
        ("3 maggio 2025", 5),
        ("3 giu 2025", 6),
        ("3 ene 2025", 1),
        ("3 de agosto de 2025", 8),
        ("5 de septiembre de 2025", 9),
        ("3. März 2025", 3),
        ("3. Jänner 2025", 1),
        ("3 June 2025", 6),
        ("July 4, 2025", 7),
    ],
)
def test_months_have_their_names_in_several_languages(text, month):
    (contest,), _ = read(f'date,white,black,result\n"{text}",ann,bob,1-0\n', "games.csv")
    assert contest.ends_at.month == month
