"""Random bytes give contests or problems and nothing else; written contests can be read again."""

from __future__ import annotations

import csv
import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from contests.formats import ParseError, read_contests
from contests.formats.table.escape import csv_safe
from contests.handles import check_handle, handle_key, normalize_handle
from contests.ranking import competition_ranks

FILENAMES = st.sampled_from(["a.csv", "a.tsv", "a.txt", "a.json", "a.jsonl", "a.csv.gz", "a", "a.xlsx"])
FRAGMENTS = st.sampled_from(
    [
        *(
            "rank",
            "handle",
            "score",
            "status",
            "team",
            "time",
            "country",
            ",",
            ";",
            "\t",
            "\n",
            "\r",
            '"',
            "1",
            "2",
            "3",
        ),
        *(
            "a",
            "b",
            "A",
            "DSQ",
            "nan",
            "1e999",
            "1,5",
            "1.234",
            "-",
            "=cmd()",
            "\u202e",
            "\ufeff",
            "\0",
            "\x07",
            "\xa0",
        ),
        *("é", "日本", "", " ", "{", "}", "[", "]", ":", '"id"', '"standings"', '"end_time"', '"2025-05-01"', "null"),
        *(
            "true",
            "NaN",
            '["a",1,null]',
            '{"id":"x","end_time":"2025-05-01","standings":[',
            "]}",
            '"\\ud800"',
            "9" * 30,
        ),
        *("sep=;", "weight", "time_seconds"),
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["2025-05-01", "a", 1, 2]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=8,
)
FIELDS = ["id", "name", "url", "start_time", "end_time", "time_seconds", "weight", "perf_ceiling", "standings", "x"]


def attempt(content: bytes, filename: str, *, repair: bool) -> None:
    try:
        contests = read_contests(content, filename=filename, repair=repair)
    except ParseError as error:
        if not error.problems or not str(error):
            raise AssertionError("an error without a problem") from error
        return
    for contest in contests:
        assert contest.standings
        keys = {handle_key(row.handle) for row in contest.standings}
        assert len(keys) == len(contest.standings) == len(contest.ranks)
        assert all(check_handle(row.handle) is None for row in contest.standings)
        assert all(
            (row.status == "ranked") == (rank is not None)
            for row, rank in zip(contest.standings, contest.ranks, strict=True)
        )


@given(st.binary(max_size=300), FILENAMES, st.booleans())
def test_any_bytes_give_contests_or_problems(content, filename, repair):
    attempt(content, filename, repair=repair)


@settings(max_examples=300)
@given(
    st.lists(FRAGMENTS, max_size=40),
    FILENAMES,
    st.sampled_from(["utf-8", "utf-16", "utf-16-le", "cp1252"]),
    st.booleans(),
)
def test_any_mixture_of_what_files_are_made_of_gives_contests_or_problems(fragments, filename, encoding, repair):
    attempt("".join(fragments).encode(encoding, "replace"), filename, repair=repair)


@given(st.dictionaries(st.sampled_from(FIELDS), JSON), st.sampled_from(["a.json", "a.jsonl"]), st.booleans())
def test_any_values_in_json_give_contests_or_problems(fields, filename, repair):
    attempt(json.dumps(fields).encode(), filename, repair=repair)


@given(st.lists(st.lists(JSON, min_size=2, max_size=3), min_size=1, max_size=5), st.booleans(), st.booleans())
def test_any_standings_in_json_give_contests_or_problems(standings, repair, reference):
    time = {"time_seconds": 0} if reference else {"end_time": "2025-05-01"}
    attempt(json.dumps({"id": "x", **time, "standings": standings}).encode(), "a.jsonl", repair=repair)


@settings(max_examples=300)
@given(st.lists(st.lists(FRAGMENTS, min_size=4, max_size=4), min_size=1, max_size=6), st.booleans())
def test_any_cells_give_contests_or_problems(cells, repair):
    out = io.StringIO()
    csv.writer(out).writerows([["rank", "handle", "score", "status"], *cells])
    attempt(out.getvalue().encode("utf-8", "replace"), "a.csv", repair=repair)


RESULTS = st.sampled_from(
    [
        "1-0",
        "½-½",
        "3:1",
        "+:-",
        "-:-",
        "w/o",
        "bye",
        "*",
        "",
        "x",
        "=",
        "2025-01-03",
        "9" * 70,
        "1-",
        "½½",
        "--",
        "0,5",
    ]
)
DATES = st.sampled_from(["2025-05-01", "1.5.2025", "5/1/2025", "31/31/2025", "", "soon", "0000-00-00", "1 Foo 2025"])
NAMES = st.sampled_from(["Ann", "ann", "Bo", "Ann + Bo", "a + a", "+", " + ", "", "bye", "=cmd()", "\u202e", "\x07"])


@settings(max_examples=200)
@given(
    st.lists(st.tuples(DATES | FRAGMENTS, NAMES | FRAGMENTS, NAMES, RESULTS | FRAGMENTS), min_size=1, max_size=6),
    st.sampled_from(["date white black result", "d e f g", "day winner loser score"]).map(str.split),
    st.booleans(),
)
def test_any_games_give_contests_or_problems(cells, header, repair):
    out = io.StringIO()
    csv.writer(out).writerows([header, *cells])
    attempt(out.getvalue().encode("utf-8", "replace"), "a.csv", repair=repair)


PIECES = st.sampled_from(
    [
        *('[White "Ann"]', '[Black "Bo"]', '[Result "1-0"]', '[Date "2025.05.01"]', '[Date "????.??.??"]'),
        *('[White "\\"', "\n", "\n\n", "1. e4 {", "}", "1-0", "(;PB[a]", "PW[b]RE[B+R]", ")", "(;", "[", "]", "\\"),
        *("DT[2025-13-99]", "RE[x]", "012 Open\n", "042 2025/99/01\n", "001    1 ", "001    2 ", "Ann".ljust(80)),
        *("   2 w 1  ", "   1 b 0  ", "0000 - U  ", "9999 w =  ", "xxxx y z  ", "132 25/05/01", "\x07", "é", "\r"),
    ]
)


@settings(max_examples=200)
@given(
    st.sampled_from(['[Event "x"]\n', "(;GM[1]", "012 Open\n001    1 \n", ""]),
    st.lists(PIECES, max_size=25),
    st.sampled_from(["a.pgn", "a.sgf", "a.trf", "a"]),
    st.booleans(),
)
def test_any_records_of_games_give_contests_or_problems(start, pieces, filename, repair):
    attempt((start + "".join(pieces)).encode(), filename, repair=repair)


HANDLES = st.text(min_size=1, max_size=20).map(normalize_handle).filter(lambda text: check_handle(text) is None)


@given(
    st.lists(HANDLES, min_size=1, max_size=12, unique_by=handle_key),
    st.data(),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_written_table_is_read_back_unchanged(handles, data, delimiter, encoding, end):
    scores = data.draw(st.lists(st.integers(0, 9).map(float), min_size=len(handles), max_size=len(handles)))
    places = competition_ranks(scores)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end)
    writer.writerow(["rank", "handle", "score"])
    writer.writerows(
        [place, csv_safe(handle), score] for place, handle, score in zip(places, handles, scores, strict=True)
    )
    (contest,) = read_contests(out.getvalue().encode(encoding), filename="a.csv")
    assert [(row.place, row.handle, row.score) for row in contest.standings] == list(
        zip(places, handles, scores, strict=True)
    )
    assert contest.ranks == places


@given(st.lists(HANDLES, min_size=1, max_size=12, unique_by=handle_key), st.data())
def test_a_written_json_line_is_read_back_unchanged(handles, data):
    scores = data.draw(st.lists(st.none() | st.floats(-1e9, 1e9), min_size=len(handles), max_size=len(handles)))
    places = competition_ranks([score or 0.0 for score in scores])
    entries = [list(entry) for entry in zip(handles, places, scores, strict=True)]
    line = json.dumps({"id": "x", "end_time": "2025-05-01", "standings": entries})
    (contest,) = read_contests(line.encode(), filename="a.jsonl")
    assert [[row.handle, row.place, row.score] for row in contest.standings] == entries
