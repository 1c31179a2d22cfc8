"""Damaged JSON, JSON lines, and responses of judging systems."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.contests.formats.damage_tables import DATES, NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.contests.formats.damage_tables import Damaged

CONTEST: dict[str, object] = {
    "id": "spring",
    "name": "Zoë’s Spring",
    "start_time": "2025-05-01T16:00:00Z",
    "end_time": "2025-05-01T18:00:00Z",
    "weight": 1.5,
    "standings": [["ann", 1, 9], ["bob", 2, 7], [["eve", "dan"], 3, None]],
}
CODEFORCES = {
    "status": "OK",
    "result": {
        "contest": {
            "id": 1, "name": "Round 1", "type": "CF", "phase": "FINISHED", "durationSeconds": 7200,
            "startTimeSeconds": 1746115200,
        },
        "problems": [],
        "rows": [
            {
                "party": {"contestId": 1, "members": [{"handle": handle}], "participantType": "CONTESTANT"},
                "rank": rank, "points": 10.0 - rank, "penalty": 0, "problemResults": [],
            }
            for rank, handle in enumerate(("ann", "bob", "eve"), 1)
        ],
    },
}  # fmt: skip
CHANGES = {
    "status": "OK",
    "result": [
        {
            "contestId": 1, "contestName": "Round 1", "handle": handle, "rank": rank,
            "ratingUpdateTimeSeconds": 1746122400,
            "oldRating": 1500, "newRating": 1510,
        }
        for rank, handle in enumerate(("ann", "bob"), 1)
    ],
}  # fmt: skip
SCOREBOARD = {
    "contest": {"id": "finals", "name": "Finals", "start_time": "2025-05-01T10:00:00Z", "duration": "5:00:00"},
    "organizations": [{"id": "o1", "name": "Uni", "country": "DEU"}],
    "teams": [{"id": "t1", "name": "One", "organization_id": "o1"}, {"id": "t2", "name": "Two"}],
    "scoreboard": {
        "rows": [
            {"rank": 1, "team_id": "t1", "score": {"num_solved": 5, "total_time": 500}, "problems": []},
            {"rank": 2, "team_id": "t2", "score": {"num_solved": 4, "total_time": 400}, "problems": []},
        ]
    },
}
VALUES = (None, True, "", "x", -1, 1e300, 2**70, [], {}, [[]], ["a"], {"a": 1}, "\u202e", "9" * 300)


def damaged_documents() -> Iterator[Damaged]:
    for name, document in (
        ("contest", CONTEST), ("codeforces", CODEFORCES), ("changes", CHANGES), ("scoreboard", SCOREBOARD),
    ):  # fmt: skip
        content = json.dumps(document, indent=1, ensure_ascii=False).encode()
        for i in range(1, 9):
            at = i * len(content) // 9
            yield f"{name} cut at {at}", f"{name}.json", content[:at]
        for encoding in ("utf-16", "latin-1"):
            yield f"{name} in {encoding}", f"{name}.json", content.decode().encode(encoding, "replace")
        yield f"{name} twice", f"{name}.json", content + b"\n" + content
    for field in CONTEST:
        for i, value in enumerate(VALUES):
            yield f"{field} is value {i}", "contest.json", json.dumps(CONTEST | {field: value}).encode()
    yield from _entries()
    yield from _nested()
    yield from _lines()
    yield from _answers()


def _entries() -> Iterator[Damaged]:
    for i, entry in enumerate(
        (
            None, [], ["a"], ["a", 1, 2, 3], [None, 1, 1], [1, 1, 1], ["a", "1", 1], ["a", 1.5, 1], ["a", 0, 1],
            ["a", 1, "x"],
            ["a", 1, 1e999], ["a", 10**400, 1], [[], 1, 1], [["a", "a"], 1, 1], [[["a"]], 1, 1], {"handle": "a"},
            ["a", True, 1],
        )
    ):  # fmt: skip
        yield f"entry {i}", "entries.json", json.dumps({"id": "x", "standings": [["ok", 1, 1], entry]}).encode()
    for i, name in enumerate((*NAMES, "\ud800", "a\udfffb", "\x00", "")):
        yield f"name {i} in JSON", "names.json", json.dumps({"id": "x", "standings": [[name, 1, 1]]}).encode()
    for i, date in enumerate(DATES):
        yield f"date {i} as end", "dates.json", json.dumps(CONTEST | {"end_time": date}).encode()


def _nested() -> Iterator[Damaged]:
    for depth in (1_000, 100_000):
        for name, inside in (("list", "[" * depth + "]" * depth), ("object", '{"a":' * depth + "1" + "}" * depth)):
            yield f"{name} {depth:,} deep", "deep.json", inside.encode()
            yield f"standings, {name} {depth:,} deep", "deep.json", f'{{"id":"x","standings":{inside}}}'.encode()
            yield (
                f"handle, {name} {depth:,} deep",
                "deep.jsonl",
                f'{{"id":"x","standings":[[{inside},1,1]]}}\n'.encode(),
            )
            yield f"answer, {name} {depth:,} deep", "deep.json", f'{{"status":"OK","result":{inside}}}'.encode()
        yield f"only opened {depth:,} times", "deep.json", b"[" * depth
    yield "a key twice", "twice.json", b'{"id":"x","id":"y","standings":[["a",1,1]]}'
    yield "100,000 keys", "keys.json", json.dumps({f"k{i}": i for i in range(100_000)}).encode()
    yield "NaN", "nan.json", b'{"id":"x","standings":[["a",1,NaN]]}'
    yield "a comma too many", "comma.json", b'{"id":"x","standings":[["a",1,1],]}'
    yield "single quotes", "quotes.json", b"{'id':'x','standings':[['a',1,1]]}"
    yield "a comment", "comment.json", b'// standings\n{"id":"x","standings":[["a",1,1]]}'


def _lines() -> Iterator[Damaged]:
    line = json.dumps(CONTEST, ensure_ascii=False).encode() + b"\n"
    for i in range(1, 9):
        at = i * len(line) // 9
        yield f"JSON lines cut at {at}", "cut.jsonl", line + line[:at]
    yield "the same contest twice", "twice.jsonl", line + line
    yield "a document called JSON lines", "document.jsonl", json.dumps(CONTEST, indent=1).encode()
    yield "a table called JSON lines", "table.jsonl", b"rank,handle\n1,a\n2,b\n"
    yield "a damaged line between", "between.jsonl", line + b"{]\n" + line.replace(b"spring", b"autumn")
    yield "ten thousand damaged lines", "damaged.jsonl", b"{]\n" * 10_000
    yield "lines in two encodings", "encodings.jsonl", line + line.decode().encode("utf-16")
    yield "contests without a time", "times.jsonl", b'{"id":"x","standings":[["a",1,1]]}\n' * 3


def _answers() -> Iterator[Damaged]:
    for i, value in enumerate(VALUES):
        for key in ("status", "result"):
            yield f"codeforces {key} is value {i}", "answer.json", json.dumps(CODEFORCES | {key: value}).encode()
        result = {**CODEFORCES["result"], "rows": [*CODEFORCES["result"]["rows"], value]}  # type: ignore[dict-item]
        yield f"codeforces row is value {i}", "answer.json", json.dumps({"status": "OK", "result": result}).encode()
        for key in ("teams", "scoreboard", "organizations"):
            yield f"scoreboard {key} is value {i}", "scoreboard.json", json.dumps(SCOREBOARD | {key: value}).encode()
    failed = {"status": "FAILED", "comment": "contestId: <b>not found</b>"}
    yield "codeforces failed", "answer.json", json.dumps(failed).encode()
