"""Headers of PGN and SGF, and FIDE's tournament reports: games, byes, forfeits, and problems with their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from contests.formats import Report, annotated, reader_for
from contests.formats.events import event_of
from tests.contests.formats.reading import read

EXAMPLES = Path("static/examples")
# The example of the PGN specification of 1994 (section 2.3), without most of its moves.
PGN = (EXAMPLES / "games.pgn").read_text(encoding="utf-8")
TRF = (EXAMPLES / "tournament.trf").read_text(encoding="utf-8")


def listed(content: str, filename: str) -> list[tuple[str, list[int | None], str, str]]:
    """Return name, ranks, day and round of each game of a file without errors."""
    games, report = read(content, filename)
    assert report.errors == []
    return [
        (game.name, game.ranks, f"{game.ends_at:%m-%d}" if game.ends_at else "", game.game.round if game.game else "")
        for game in games
    ]


def problems(content: str, filename: str) -> list[tuple[int | None, str | None, str]]:
    """Return line, column and the first words of each error."""
    _, report = read(content, filename)
    return [(problem.row, problem.column, problem.message[:40]) for problem in report.errors]


@pytest.mark.parametrize("filename", ["games.pgn", "games.txt", "games.json", "games", "games.pgn.gz"])
def test_pgn_is_known_by_content_and_only_its_headers_count(filename):
    assert listed("\ufeff% from a server\n" + PGN, filename) == [
        ("Fischer, Robert J. – Spassky, Boris V.", [1, 1], "11-04", "29"),
        ("Spassky, Boris V. – Fischer, Robert J.", [2, 1], "11-05", "30"),
    ]
    games, _ = read(PGN, filename)
    assert [game.game.sides for game in games if game.game] == [("white", "black")] * 2
    assert event_of(games).name == "F/S Return Match"


def test_time_address_teams_and_byes_are_read_from_pgn_of_game_servers():
    tags = '[Event "Arena"][Site "https://lichess.org/abcd"]\n[White "ann:bo"]\n[Black "Cy \\"the\\" Di"]\n'
    moves = '[Result "1-0"]\n\n1. e4 {[White "x"]\n[Black "y"] } 1-0\n'
    (game,), _ = read(tags + '[UTCDate "2025.05.01"]\n[UTCTime "18:30:05"]\n' + moves, "a.pgn")
    assert [row.handle for row in game.standings] == ["ann", "bo", 'Cy "the" Di']
    assert (str(game.ends_at), game.url) == ("2025-05-01 18:30:05+00:00", "https://lichess.org/abcd")
    (bye,), _ = read('[White "bye"]\n[Black "Ann"]\n[Result "0-1"]\n[Date "2025.05.01"]\n', "a.pgn")
    assert (bye.name, bye.standings[0].score, bye.game.is_walkover if bye.game else None) == ("Ann – bye", 1.0, True)


@pytest.mark.parametrize(
    ("termination", "is_walkover"),
    [("forfeit", True), ("Unplayed", True), ("time forfeit", False), ("Ann won on time", False), ("", False)],
)
def test_results_without_play_in_pgn_are_walkovers(termination, is_walkover):
    tags = '[White "Ann"]\n[Black "Bo"]\n[Result "1-0"]\n[Date "2025.05.01"]\n'
    (game,), _ = read(tags + f'[Termination "{termination}"]\n\n1-0\n', "a.pgn")
    assert game.game.is_walkover is is_walkover
    assert [(row.handle, row.place) for row in game.standings] == [("Ann", 1), ("Bo", 2)]


def test_pgn_without_result_players_or_date_is_reported_at_its_tag():
    text = '[White "Ann"]\n[Black "?"]\n[Result "2-0"]\n[Date "2025.13.01"]\n\n*\n[Black "Bo"]\n[Result "1-0"]\n'
    assert problems(text, "a.pgn") == [
        (4, "Date", "There is no such day; correct the date."),
        (2, "Black", "The value of Black is unknown; give the name o"[:40]),
        (3, "Result", "The value of Result is unknown; write 1-0, 0-1"[:40]),
        (7, "White", "The tag White is missing; give the name "),
    ]
    names = '[White "Ann"]\n[Black "Bo"]\n'
    text = names + '[Result "*"]\n\n*\n' + names + '[Result "1-0"]\n[Date "1992.??.??"]\n'
    games, report = read(text, "a.pgn")
    assert (len(games), games[0].ends_at) == (1, None)
    assert report.lines() == [
        "warning: 1 game was left out, because the result is * (not finished).",
        "warning: 1 game has no complete date; Podium uses the end of the contest instead.",
    ]


def test_sgf_gives_black_and_white_and_skips_variations_and_unknown_results():
    text = (EXAMPLES / "games.sgf").read_text(encoding="utf-8")
    assert listed(text, "x.txt") == [("Aya – Ben", [1, 2], "05-01", "1"), ("Chen – Dora", [2, 1], "05-01", "1")]
    text += (
        "(;GM[1]PB[a \\] b]PW[c]RE[Draw]DT[2024-12-31,2025-01-01])\n(;GM[1]PB[d]PW[e]RE[Void])(;GM[1]PB[d]PW[e]RE[W+F])"
    )
    games, report = read(text, "a.sgf")
    assert [game.name for game in games[2:]] == ["a ] b – c", "d – e"]
    assert ([game.game.is_walkover for game in games[2:] if game.game], len(report.warnings)) == ([False, True], 1)
    assert problems("(;GM[1]PB[a]RE[B+R])\n(;GM[1]PB[a]PW[b]RE[won])", "a.sgf") == [
        (1, "PW", "The game has no PW; give the name of Whit"[:40]),
        (2, "RE", "The value of RE is not a result; write B"),
    ]
    assert problems("(;GM[1]PB[a]PW[b", "a.sgf") == [(1, None, "A game that begins here has no end; clos")]


def test_a_report_of_fide_gives_rounds_byes_and_forfeits():
    for text, filename in ((TRF, "a.trf"), (TRF, "a.csv"), (TRF.replace("\n", "\r"), "a.txt")):
        assert listed(text, filename) == [
            ("Fox,Ann – Elk,Di", [1, 2], "05-01", "1"),
            ("Owl,Cy – bye", [1], "05-01", "1"),
            ("Lynx,Eve – Hare,Bo", [2, 1], "05-01", "1"),
            ("Hare,Bo – Fox,Ann", [1, 1], "05-02", "2"),
            ("Elk,Di – Owl,Cy", [1, 2], "05-02", "2"),
            ("Fox,Ann – Owl,Cy", [1, 2], "05-03", "3"),
            ("Hare,Bo – bye", [1], "05-03", "3"),
            ("Elk,Di – Lynx,Eve", [1, 2], "05-03", "3"),
        ]
    games, report = read(TRF, "a.trf")
    assert [game.name for game in games if game.game and game.game.is_walkover] == [
        "Owl,Cy – bye", "Hare,Bo – bye", "Elk,Di – Lynx,Eve",
    ]  # fmt: skip
    table = event_of(games)
    assert {row.handle: row.score for row in table.standings} == {
        "Fox,Ann": 2.5, "Elk,Di": 2.0, "Owl,Cy": 1.0, "Lynx,Eve": 0.0, "Hare,Bo": 2.0,
    }, "as in columns 81 to 84 of the report"  # fmt: skip
    assert (table.name, report.lines(), games[0].standings[0].country) == ("Spring Open", [], "LV")


def test_contradictions_in_a_report_of_fide_are_named_with_both_lines():
    def changed(old: str, new: str) -> list[tuple[int | None, str | None, str]]:
        assert old in TRF
        return problems(TRF.replace(old, new), "a.trf")

    assert changed("   4 w 1     2 b =", "   4 w 0     2 b =") == [
        (12, "round 1", "Line 15 has b 0 for this game, which con"),
        (15, "round 1", "Line 12 has w 0 for this game, which con"),
    ]  # fmt: skip
    assert changed("   4 w 1     2 b =", "   9 w 1     2 b =")[0] == (
        12,
        "round 1",
        "No player has the starting number 9; cor",
    )
    assert changed("   4 w 1     2 b =", "   2 w 1     2 b =")[0] == (
        12,
        "round 1",
        "Line 13 names a different opponent in th",
    )
    assert changed("   4 w 1     2 b =", "   4 w ?     2 b =")[0][2] == "The result must be one of 1 = 0 + - W D "
    assert changed("001    2 m", "001    1 m")[0] == (13, "starting number", "Line 12 has the same starting number; gi")
    assert changed("052 2025/05/03", "052 2025/05/33")[0] == (5, "date", "There is no such day; correct the date.")
    assert changed("052 2025/05/03", "052 5/31/2025")[0] == (5, "date", "There is no such day; correct the date.")
    games, report = read(TRF.replace(" 2.5    1", " 3.5    1").replace("Hare,Bo", "Fox,Ann"), "a.trf")
    assert {row.handle for game in games for row in game.standings} >= {"Fox,Ann (11600011)", "Fox,Ann (4500022)"}
    assert [problem.message[:25] for problem in report.warnings] == ["The games add up to 2.5 p"]


@pytest.mark.parametrize(
    ("filename", "content", "fault", "fixed"),
    [
        ("a.pgn", PGN, '"0-1"', '"0-2"'),
        ("a.trf", TRF, "4 w 1", "4 w ?"),
        ("a.sgf", "(;GM[1]PB[a]PW[b]RE[B+R])\n", "B+R", "x"),
    ],
)
def test_remarks_can_stay_in_a_file_that_is_read_again(filename, content, fault, fixed):
    damaged = content.replace(fault, fixed)
    _, report = read(damaged, filename)
    remarked, name = annotated(damaged.encode(), filename=filename, report=report)
    assert (name, b"remarks: error: " in remarked) == (filename.replace(".", "-remarks."), True)
    assert reader_for(name, remarked[:4096]) is reader_for(filename, content.encode()[:4096])
    assert listed(remarked.decode().replace(fixed, fault), name) == listed(content, filename)
    assert annotated(remarked, filename=name, report=Report())[0].decode().split() == damaged.split()
