"""Names of columns that count only if the table has no other column for their field."""

from __future__ import annotations

import pytest

from contests.formats import sketch
from tests.contests.formats.reading import errors_of, read_one


def fields(header):
    columns = sketch(f"{header}\n{';'.join('1' * (header.count(';') + 1))}\n".encode(), filename="a.csv").columns
    return [column.field for column in columns]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Rank;Hacker;Country;Score;Time", ["rank", "handle", "country", "score", "penalty"]),
        ("Rank;Hacker;Username", ["rank", "", "handle"]),
        ("Name;Nat.;Punkte", ["handle", "country", "score"]),
        ("Name;Nat;Land;Punkte", ["handle", "", "country", "score"]),
        ("Platz;Name;Runde 1;Runde 2;Summe", ["rank", "handle", "", "", "score"]),
        ("Platz;Name;Punkte;Summe", ["rank", "handle", "score", ""]),
        ("Team;Gesamtpunkte", ["handle", "score"]),
        ("Clt;Équipe;Résolus;Pénalité", ["rank", "handle", "score", "penalty"]),
        ("Rang;Reiter;Name;Strafpunkte;Zeit", ["rank", "", "handle", "", "penalty"]),
        ("Rang;Name;Strafpunkte", ["rank", "handle", "penalty"]),
        ("Place;Runner;Gun Time;Chip Time", ["rank", "handle", "penalty", ""]),
        ("Platz;Name;Nettozeit;Bruttozeit", ["rank", "handle", "penalty", ""]),
        ("Place;Runner;Net Time;Time", ["rank", "handle", "", "penalty"]),
        # “Gesamt” can be a number of points, a time or a place.
        ("Team;Runde 1;Runde 2;Gesamt", ["handle", "", "", "score"]),
        ("Rang;Name;1. Lauf;2. Lauf;Gesamt", ["rank", "handle", "", "", ""]),
        ("Name;Zeit;Gesamt", ["handle", "penalty", ""]),
        # “Overall” can be a place or a number of points.
        ("Name;Score;Overall", ["handle", "score", ""]),
    ],
)
def test_some_names_count_only_if_no_other_column_has_their_field(header, expected):
    assert fields(header) == expected


def test_of_two_kinds_of_time_the_first_one_counts():
    table = "Platz;Name;Bruttozeit;Nettozeit\n1;Ann;38:15;38:12\n2;Bo;38:20;38:10\n"
    problems = errors_of(table)
    assert [(problem.column, "Unknown column" in problem.message) for problem in problems] == [("Nettozeit", True)]


def test_fewer_strokes_are_better():
    contest = read_one("Player;Strokes\nAnn;134\nBo;136\nCy;134\n")
    assert [row.place for row in contest.standings] == [1, 3, 1]
