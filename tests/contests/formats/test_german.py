"""Problems in files are in the reader's language, at the same places, for every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import override

from contests.formats import Report, annotated, iter_contests
from tests.contests.formats.damage import damaged_files

if TYPE_CHECKING:
    from contests.formats import Problem

#: Larger files take a long time, and have no other problems.
MOST_BYTES = 50_000
TRF = "012 Cup\n042 2025/05/01\n"
PLAYER = "001 {number:>4} m   {name:<33} 2100 GER             2000/01/01 {points:>4}    {rank:>2}"
#: Files with problems in formats of games, for which there are no damaged files.
GAMES = {
    "a.pgn": (
        '[Event "a"]\n[White "Ann"]\n[Black "?"]\n[Result "2-0"]\n\n*\n\n[Event "b"]\n[White "Bo"]\n[Result "*"]\n\n*\n'
        '\n[Event "c"]\n[White "Bo"]\n[Black "Cy"]\n[Result "1-0"]\n[Date "2025.??.??"]\n\n1-0\n\n[Event "d"]\n\n*\n'
    ),
    "b.pgn": '[Event "a"]\n[White "Ann"]\n[Black "Bo"]\n[Result "*"]\n\n*\n',
    "a.sgf": "(;GM[1]RE[B+x+y]PB[Ann])(;GM[1]RE[?]PB[Ann]PW[Bo])(;GM[1]RE[what]PW[Cy])",
    "b.sgf": "(;GM[1]RE[B+R]PB[Ann]PW[Bo]",
    "a.trf": TRF
    + "\n".join(
        (
            PLAYER.format(number=1, name="Ann", points="9.0", rank=1) + "    2 w 1",
            PLAYER.format(number=2, name="Bo", points="0.0", rank=2) + "    1 b 1",
            PLAYER.format(number=3, name="Cy", points="0.0", rank=3) + "    9 w 1",
            PLAYER.format(number=3, name="Di", points="0.0", rank=4) + "    1 w 1",
            PLAYER.format(number=4, name="Ed", points="0.0", rank=5) + "    x w 1",
            PLAYER.format(number=5, name="Flo", points="0.0", rank=6) + "    1 w ?",
            PLAYER.format(number=6, name="Gil", points="0.0", rank=7) + "    1 z 1",
            PLAYER.format(number=7, name="Hal", points="7.0", rank=7) + "    1 w 1",
            "001    0 m   Ivo",
        )
    )
    + "\n",
}


def problems_of(content: bytes, filename: str, language: str) -> list[Problem]:
    report = Report()
    with override(language):
        for _ in iter_contests(content, filename=filename, report=report):
            pass
    return [*report.errors, *report.warnings]


def test_no_problem_of_a_damaged_file_is_left_in_english():
    files = [(filename, content) for _, filename, content in damaged_files() if len(content) <= MOST_BYTES]
    files += [(filename, text.encode()) for filename, text in GAMES.items()]
    left, seen = set(), {}
    for filename, content in files:
        english, german = (problems_of(content, filename, language) for language in ("en", "de"))
        places = [(problem.row, problem.cell, problem.severity) for problem in english]
        assert [(problem.row, problem.cell, problem.severity) for problem in german] == places, filename
        left |= {one.message for one, other in zip(english, german, strict=True) if one.message == other.message}
        for one, other in zip(english, german, strict=True):
            seen[one.message] = other.message
    assert left == set()
    assert len(seen) > 200
    for english, german in (
        ("The value of Black is unknown; give", "Der Wert von Black ist unbekannt; bitte"),
        ("The game has no PW; give", "Der Partie fehlt PW; bitte"),
        ("Columns 5 to 8 have no starting number", "In den Spalten 5 bis 8 fehlt die Startnummer"),
        ("This Codeforces API response has", "Diese Antwort der Codeforces-API enthält"),
        ("A CLICS file is a scoreboard", "Eine CLICS-Datei ist eine Rangliste"),
        (
            "This is not valid JSON: a value is missing here, or there is a comma too many.",
            "Das ist kein gültiges JSON: Hier fehlt ein Wert, oder ein Komma ist zu viel.",
        ),
    ):
        assert any(one.startswith(english) and other.startswith(german) for one, other in seen.items()), english


def test_the_remarks_in_a_file_are_in_the_readers_language_too():
    content = b"rank,handle,country\n1,ann,XX\nfirst,bo,DE\n"
    with override("de"):
        report = Report()
        list(iter_contests(content, filename="a.csv", report=report))
        text = annotated(content, filename="a.csv", report=report)[0].decode()
        assert str(report.errors[0]).startswith("Zeile 3, rank: Ein Rang ist")
        assert str(report.errors[0]).endswith("(gefunden: „first“)")
    assert "Warnung: country: Unbekanntes Land" in text
    assert "Fehler: rank: Ein Rang ist" in text
    assert "error" not in text
    assert list(iter_contests(text.encode().replace(b"first", b"2"), filename="a.csv", report=Report()))
