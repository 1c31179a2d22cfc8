"""Responses of judging systems with any content, the example files, and the command that imports them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from contests.formats import Report, annotated, iter_contests
from contests.handles import check_handle, handle_key, normalize_handle
from contests.models import Contest
from contests.ranking import competition_ranks
from tests.contests.formats.answers import board, board_row, change, changes, party, row, standings, text
from tests.contests.formats.reading import read, read_one
from tests.contests.formats.test_fuzz import JSON, attempt

EXAMPLES = sorted(path for path in Path("static/examples").iterdir() if path.is_file())
HANDLES = st.text(min_size=1, max_size=12).map(normalize_handle).filter(lambda name: check_handle(name) is None)
KINDS = st.sampled_from(["CONTESTANT", "CONTESTANT", "OUT_OF_COMPETITION", "VIRTUAL"])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_to_download_reads_without_errors_and_is_documented(path):
    report = Report()
    contests = list(iter_contests(path, filename=path.name, report=report))
    assert report.errors == []
    assert all(len(contest.standings) > 2 or contest.game is not None for contest in contests)
    assert contests
    assert path.name in Path("docs/formats.md").read_text(encoding="utf-8")


TEAMS = [{"id": "1", "name": "a"}, {"id": "2", "name": "b"}]
ANSWERS = {
    "standings": standings(row(1, "ann"), row(2, party("v", kind="VIRTUAL")), row(3, "bob")),
    "result alone": standings(row(1, "ann"), row(2, "bob"), phase="CODING")["result"],
    "rating changes": changes(change(1, "ann"), change(3, "bob")),
    "changes alone": [change(1, "ann"), change(3, "bob")],
    "scoreboard": board(board_row(1, "1"), board_row(2, "2")),
    "scoreboard with teams": board(board_row(1, "1"), board_row(3, "2"), teams=TEAMS),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("indent", [None, 2])
def test_an_answer_that_was_handed_back_with_remarks_reads_as_before(answer, indent):
    content = text(answer, indent).encode()
    before, report = read(content, "a.json")
    assert report.errors == []
    assert report.warnings
    content, filename = annotated(content, filename="a.json", report=report)
    assert len(json.loads(content.decode("utf-8-sig"))) >= len(answer)
    assert b"remarks" in content
    after, again = read(content, filename)
    assert after == before
    assert [problem.message for problem in again.warnings] == [problem.message for problem in report.warnings]


def test_there_is_an_example_for_each_format():
    assert {path.name for path in EXAMPLES} >= {
        "standings.csv", "standings.tsv", "standings.json", "standings.jsonl", "codeforces-standings.json",
        "codeforces-rating-changes.json", "clics-scoreboard.json",
    }  # fmt: skip


@given(st.lists(HANDLES, min_size=1, max_size=12, unique_by=handle_key), st.data())
def test_written_standings_are_read_back_unchanged(handles, data):
    points = data.draw(st.lists(st.integers(0, 5), min_size=len(handles), max_size=len(handles)))
    kinds = ["CONTESTANT", *data.draw(st.lists(KINDS, min_size=len(handles) - 1, max_size=len(handles) - 1))]
    rows = [
        row(rank, party(handle, kind=kind), score)
        for rank, handle, kind, score in zip(competition_ranks(points), handles, kinds, points, strict=True)
    ]
    contest = read_one(text(standings(*rows)), "a.json")
    kept = [(h, k, p) for h, k, p in zip(handles, kinds, points, strict=True) if k != "VIRTUAL"]
    official = [p for _, kind, p in kept if kind == "CONTESTANT"]
    assert [(standing.handle, standing.score) for standing in contest.standings] == [(h, p) for h, _, p in kept]
    assert contest.ranks == [
        1 + sum(other > points for other in official) if kind == "CONTESTANT" else None for _, kind, points in kept
    ]


@given(st.lists(HANDLES, min_size=1, max_size=12, unique_by=handle_key), st.data())
def test_a_written_scoreboard_is_read_back_unchanged(names, data):
    solved = data.draw(st.lists(st.integers(0, 5), min_size=len(names), max_size=len(names)))
    hidden = [False, *data.draw(st.lists(st.booleans(), min_size=len(names) - 1, max_size=len(names) - 1))]
    teams = [{"id": f"t{i}", "name": name, "hidden": hidden[i]} for i, name in enumerate(names)]
    ranks = competition_ranks(solved)
    rows = [board_row(rank, f"t{i}", solved[i], f"{i}:00:30") for i, rank in enumerate(ranks)]
    contest = read_one(json.dumps(board(*rows, teams=teams), ensure_ascii=False), "a.json")
    shown = [i for i in range(len(names)) if not hidden[i]]
    assert [(s.handle, s.score, s.penalty) for s in contest.standings] == [
        (names[i], solved[i], 60 * i + 0.5) for i in shown
    ]
    assert contest.ranks == [1 + sum(solved[other] > solved[i] for other in shown) for i in shown]


PARTIES = st.fixed_dictionaries(
    {"participantType": st.sampled_from(["CONTESTANT", "VIRTUAL", "x"]) | JSON},
    optional={
        "members": st.lists(st.fixed_dictionaries({"handle": JSON}) | JSON, max_size=3), "ghost": JSON,
        "teamName": JSON,
    },
)  # fmt: skip
ROWS = st.one_of(
    st.fixed_dictionaries({}, optional={"rank": JSON, "points": JSON, "penalty": JSON, "party": JSON}),
    st.builds(row, st.integers(-1, 4) | JSON, PARTIES),
    JSON,
)
CONTEST_FIELDS = st.dictionaries(st.sampled_from(["id", "name", "phase", "durationSeconds", "startTimeSeconds"]), JSON)
CHANGES = st.dictionaries(st.sampled_from([*change(1, "a")]), JSON).map(lambda fields: change(1, "a") | fields)


@given(st.lists(ROWS, max_size=4) | JSON, CONTEST_FIELDS, st.booleans())
def test_any_rows_of_codeforces_give_contests_or_problems(rows, contest, repair):
    answer = {"status": "OK", "result": {"contest": contest, "rows": rows}}
    attempt(text(answer).encode(), "a.json", repair=repair)


@given(st.dictionaries(st.sampled_from(["status", "comment", "result"]), JSON), st.booleans())
def test_any_answer_of_codeforces_gives_contests_or_problems(answer, repair):
    attempt(text({"status": "OK", **answer}).encode(), "a.json", repair=repair)


@given(st.lists(CHANGES | JSON, max_size=4), st.booleans())
def test_any_rating_changes_give_contests_or_problems(entries, repair):
    attempt(text(changes(change(1, "b"), *entries)).encode(), "a.json", repair=repair)


IDS = st.sampled_from(["1", "2", 3]) | JSON
ROLES = st.fixed_dictionaries({"type": st.just("contestant") | JSON, "team_id": IDS})
OBJECTS = st.lists(
    st.fixed_dictionaries(
        {"id": IDS},
        optional={
            "name": JSON, "country": JSON, "hidden": st.booleans() | JSON, "organization_id": IDS, "team_id": IDS,
            "group_ids": st.lists(IDS, max_size=2) | JSON, "members": JSON, "display_name": JSON, "team_ids": JSON,
            "role": st.just("contestant") | JSON,
            "roles": st.lists(ROLES, max_size=2),
        },
    )
    | JSON,
    max_size=4,
)  # fmt: skip
BOARD_ROWS = st.lists(
    st.fixed_dictionaries({"rank": st.integers(0, 3) | JSON, "team_id": IDS}, optional={"score": JSON}) | JSON,
    max_size=4,
)
PARTS = {name: OBJECTS | JSON for name in ("teams", "organizations", "groups", "persons", "team-members")}
SINGLE = {name: st.dictionaries(st.sampled_from(["id", "name", "start_time", "duration", "ended"]), JSON) | JSON
          for name in ("contest", "state")}  # fmt: skip


BOARDS = st.fixed_dictionaries({"rows": BOARD_ROWS | JSON}, optional={"state": JSON})


@given(BOARDS | JSON, st.fixed_dictionaries({}, optional={**PARTS, **SINGLE, "rows": JSON}), st.booleans())
def test_any_scoreboard_gives_contests_or_problems(scoreboard, parts, repair):
    attempt(text({"scoreboard": scoreboard, **parts}).encode(), "a.json", repair=repair)


EVENTS = st.fixed_dictionaries(
    {"type": st.sampled_from(["contest", "contests", "teams", "scoreboard", "persons", "runs"]) | JSON},
    optional={"id": IDS, "data": OBJECTS | JSON, "op": st.sampled_from(["create", "delete"]) | JSON},
)


@given(st.lists(EVENTS, min_size=1, max_size=5), st.booleans())
def test_any_event_feed_gives_contests_or_problems(events, repair):
    lines = [*events, {"type": "scoreboard", "data": board(board_row(1, "1"), board_row(2, "2"))}]
    attempt("\n".join(map(text, lines)).encode(), "a.ndjson", repair=repair)


@pytest.mark.django_db
def test_the_import_command_takes_answers(tmp_path):
    contest = {"id": "wf", "name": "WF", "start_time": "2025-05-01T10:00:00Z", "duration": "5:00:00"}
    answers = {
        "standings.json": standings(row(1, "ann"), row(2, "bob"), id=565),
        "changes.json": changes(change(1, "bob")),
        "board.json": board(board_row(1, "1"), contest=contest),
    }
    for name, answer in answers.items():
        (tmp_path / name).write_text(text(answer))
    files = [str(path) for path in sorted(tmp_path.iterdir())]
    call_command("import_contests", *files, "--series", "cup", "--no-rate", stdout=io.StringIO(), stderr=io.StringIO())
    assert sorted(Contest.objects.values_list("slug", "standing_count")) == [("565", 2), ("566", 1), ("wf", 1)]
