"""Responses of judging systems for tests, with only the relevant fields."""

from __future__ import annotations

import json
from typing import Any


def party(*handles: str, kind: str = "CONTESTANT", **fields: Any) -> dict[str, Any]:
    """A party of Codeforces' standings."""
    return {"members": [{"handle": handle} for handle in handles], "participantType": kind, "ghost": False, **fields}


def row(rank: int, who: dict[str, Any] | str, points: float = 0.0, **fields: Any) -> dict[str, Any]:
    """A row of Codeforces' standings."""
    who = party(who) if isinstance(who, str) else who
    return {"party": who, "rank": rank, "points": points, "penalty": 0, "problemResults": [], **fields}


def standings(*rows: Any, **contest: Any) -> dict[str, Any]:
    """A response of contest.standings."""
    fields = {"id": 566, "name": "VK Cup", "phase": "FINISHED", "durationSeconds": 7200, "startTimeSeconds": 1438273200}
    return {"status": "OK", "result": {"contest": {**fields, **contest}, "problems": [], "rows": list(rows)}}


def change(rank: int, handle: str, **fields: Any) -> dict[str, Any]:
    """An element of a response of contest.ratingChanges."""
    named = {"contestId": 566, "contestName": "VK Cup", "handle": handle, "rank": rank}
    return {**named, "ratingUpdateTimeSeconds": 1438284000, "oldRating": 1500, "newRating": 1600, **fields}


def changes(*entries: Any) -> dict[str, Any]:
    """A response of contest.ratingChanges."""
    return {"status": "OK", "result": list(entries)}


def board_row(rank: int | None, team: Any, solved: int = 0, time: int | str = 0, **fields: Any) -> dict[str, Any]:
    """A row of a CLICS scoreboard."""
    return {
        "rank": rank,
        "team_id": team,
        "score": {"num_solved": solved, "total_time": time},
        "problems": [],
        **fields,
    }


def board(*rows: Any, **parts: Any) -> dict[str, Any]:
    """A CLICS document of a scoreboard and other parts; the scoreboard alone if there are none."""
    scoreboard = {"event_id": "e1", "time": "2025-05-03T15:10:00Z", "contest_time": "5:10:00", "rows": list(rows)}
    return {**parts, "scoreboard": scoreboard} if parts else scoreboard


def text(answer: Any, indent: int | None = None) -> str:
    return json.dumps(answer, indent=indent)
