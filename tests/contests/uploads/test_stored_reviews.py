"""Reviews are stored under the keys that earlier versions of the site wrote and read."""

from __future__ import annotations

import json

from contests.matching.players import PlayerCandidate
from contests.uploads.review import Review, UnmatchedRow

#: As an earlier version stored it.
STORED = {
    "stamp": "5f0c",
    "columns": {"sheets": [], "sheet": None, "header_row": 0, "decimal_comma": None, "columns": []},
    "errors": [],
    "error_count": 0,
    "warnings": [],
    "warning_count": 0,
    "counts": {"total": 2, "ranked": 2, "unofficial": 0, "disqualified": 0, "new_players": 1, "other_name": 0},
    "rows": [],
    "people": [
        {
            "handle": "alexanderk",
            "key": "alexanderk",
            "row": 2,
            "name": "",
            "country": "",
            "suggestions": [
                {"player_id": 7, "handle": "alexander_k", "name": "", "country": "", "similarity": 97, "why": "same"}
            ],
            "meant": None,
            "is_decided": False,
            "is_alias": False,
        }
    ],
    "people_count": 1,
    "said": {"name": "May Open"},
    "effects": {"by_handle": {}, "is_left_out": True},
    "seconds": 0.25,
}


def test_a_stored_review_is_read_and_written_with_the_same_keys():
    review = Review.from_json(STORED)
    candidate = PlayerCandidate(7, "alexander_k", similarity=97, why="same")
    assert review.unmatched == [UnmatchedRow("alexanderk", "alexanderk", 2, "", "", [candidate])]
    assert (review.unmatched_count, review.description, review.lacks_preview) == (1, {"name": "May Open"}, True)
    # Reviews that were stored before files could have games and corrections, or that are from earlier versions without
    # a language and players, lack these keys.
    people = [{**STORED["people"][0], "likely_id": None}]
    expected = {**STORED, "people": people, "games": None, "offered": None, "language": "", "newest_player": 0}
    expected |= {"has_times": False, "missing": []}
    assert json.loads(json.dumps(review.to_json())) == expected
