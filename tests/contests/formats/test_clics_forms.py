"""Forms of a scoreboard: as events, in any encoding, with any file name."""

from __future__ import annotations

import json

import pytest

from contests.formats import READERS
from contests.formats.json.clics import Clics
from tests.contests.formats.answers import board, board_row, text
from tests.contests.formats.reading import contest_line, one_error, read_one
from tests.contests.formats.test_clics import CONTEST, FILE, TEAMS, TWO, players


def event(kind, content, **fields):
    return text({"type": kind, **fields, "data": content})


def test_parts_may_come_as_events_of_either_version():
    old = [
        event("contests", CONTEST, id="k1", op="create"),
        event("teams", {"id": "11", "name": "Tigers"}, id="k2", op="create"),
        event("teams", TEAMS[0], id="k3", op="update"),
        event("teams", TEAMS[1], id="k4", op="create"),
        event("teams", {"id": "9", "name": "Gone"}, id="k5", op="create"),
        event("teams", {"id": "9"}, id="k6", op="delete"),
        event("submissions", {"id": "s1", "team_id": "11"}, id="k7", op="create"),
    ]
    new = [
        event("contest", CONTEST, id=None, token="t1"),
        event("teams", [{"id": "9", "name": "Gone"}]),
        event("teams", TEAMS),
        event("teams", {"id": "7", "name": "Gone"}, id="7"),
        event("teams", None, id="7"),
        "",
    ]
    for events in (old, new):
        contest = read_one("\n".join([*events, event("scoreboard", board(*TWO))]), "event-feed.ndjson")
        assert contest.key == "wf14"
        assert [handle for handle, _, _ in players(contest)] == ["Carnegie 1", "Shanghai Tigers"]
        assert '"scoreboard"' in one_error("\n".join(events), "event-feed.ndjson").message
        gone = event("scoreboard", board(*TWO, board_row(3, "9")))
        assert one_error("\n".join([*events, gone]), "event-feed.ndjson").column == "standing 3, team_id"


@pytest.mark.parametrize("filename", [FILE, "a.ndjson", "a.jsonl", "a.txt", "scoreboard", "a.json.gz"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_a_scoreboard_is_known_by_its_content(filename, encoding):
    document = json.dumps(board(*TWO, teams=[{**TEAMS[0], "name": "Zoë 日本"}, TEAMS[1]]), ensure_ascii=False)
    assert read_one(document.encode(encoding), filename).standings[1].handle == "Zoë 日本"


@pytest.mark.parametrize(
    "content", [contest_line(), '{"type": "rated", ' + contest_line()[1:], "[" + contest_line() + "]", '{"x": 5}']
)
def test_our_own_contests_and_others_are_not_taken_for_scoreboards(content):
    clics = next(reader for reader in READERS if isinstance(reader, Clics))
    assert not clics.recognizes(content.encode())
