"""Corrections of single rows: ranks are updated, and the reason is recorded."""

import pytest

from contests.errors import ContestError
from contests.models import AuditEntry
from contests.services.correcting import Correction, correct_standing, correct_standings
from ratings.models import StaleMark
from tests.factories import make_contest

pytestmark = pytest.mark.django_db


def table(contest):
    """The standings as handle -> rank."""
    return dict(contest.standings.values_list("player__handle", "rank"))


def correct(contest, handle, *, reason="appeal", **fields):
    row = contest.standings.get(player__handle=handle)
    defaults = {"status": row.status, "place": row.place, "score": row.score, "keeps_place": "place" not in fields}
    return correct_standing(row.pk, correction=Correction(**{**defaults, **fields}), reason=reason)


def test_a_disqualification_moves_the_others_up_and_lifting_it_moves_them_down():
    contest = make_contest(standings=[("ann", 1), ("bob", 2), ("cy", 2), ("di", 4), ("ed", 5)])
    correct(contest, "bob", status="disqualified")
    assert table(contest) == {"ann": 1, "bob": None, "cy": 2, "di": 3, "ed": 4}
    correct(contest, "bob", status="ranked")
    assert table(contest) == {"ann": 1, "bob": 2, "cy": 2, "di": 4, "ed": 5}


def test_a_player_can_be_put_between_others_or_beside_them():
    contest = make_contest(standings=[("ann", 1), ("bob", 2), ("cy", 3), ("di", 4)])
    correct(contest, "di", place=2, shares_place=False)
    assert table(contest) == {"ann": 1, "di": 2, "bob": 3, "cy": 4}
    correct(contest, "cy", place=1, shares_place=True)
    assert table(contest) == {"ann": 1, "cy": 1, "di": 3, "bob": 4}


def places(contest):
    """The standings as handle -> place."""
    return dict(contest.standings.values_list("player__handle", "place"))


@pytest.mark.parametrize(
    ("handle", "place", "expected"),
    [
        # The rows below the former place stay.
        ("ben", 1, {"ben": 1, "ann": 2, "cy": 3, "di": 4, "ed": 5, "flo": 5}),
        ("flo", 4, {"ann": 1, "ben": 2, "cy": 2, "flo": 4, "di": 5, "ed": 6}),
        ("di", 2, {"ann": 1, "di": 2, "ben": 3, "cy": 3, "ed": 5, "flo": 5}),
        # A tie is resolved.
        ("ben", 2, {"ann": 1, "ben": 2, "cy": 3, "di": 4, "ed": 5, "flo": 5}),
        # The rows between move up, so that the player gets the entered place.
        ("ann", 4, {"ben": 1, "cy": 1, "di": 3, "ann": 4, "ed": 5, "flo": 5}),
        ("di", 6, {"ann": 1, "ben": 2, "cy": 2, "ed": 4, "flo": 4, "di": 6}),
    ],
)
def test_only_the_rows_between_the_new_and_the_former_place_move(handle, place, expected):
    contest = make_contest(standings=[("ann", 1), ("ben", 2), ("cy", 2), ("di", 4), ("ed", 5), ("flo", 5)])
    correct(contest, handle, place=place, shares_place=False)
    assert places(contest) == expected
    assert table(contest)[handle] == place


def test_a_disqualified_row_moves_with_its_neighbours():
    contest = make_contest(standings=[("ann", 1), ("bob", 2), ("cy", 3), ("di", 4)])
    correct(contest, "bob", status="disqualified")
    correct(contest, "di", place=1, shares_place=False)
    assert places(contest) == {"di": 1, "ann": 2, "bob": 3, "cy": 4}
    assert table(contest) == {"di": 1, "ann": 2, "bob": None, "cy": 3}
    correct(contest, "bob", status="ranked")
    assert table(contest) == {"di": 1, "ann": 2, "bob": 3, "cy": 4}


def test_where_scores_decide_a_changed_score_moves_its_row():
    contest = make_contest(standings=[("ann", 1, 90.0), ("bob", 2, 80.0), ("cy", 3, 70.0)])
    correct(contest, "cy", score=95.0)
    assert table(contest) == {"cy": 1, "ann": 2, "bob": 3}
    with pytest.raises(ContestError, match="Enter a score for cy"):
        correct(contest, "cy", score=None)


def test_where_lower_scores_are_better_a_lower_score_moves_its_row_up():
    contest = make_contest(standings=[("ann", 1, 68.0), ("bob", 2, 71.0), ("cy", 2, 71.0), ("di", 4, 80.0)])
    correct(contest, "di", score=60.0)
    assert table(contest) == {"di": 1, "ann": 2, "bob": 3, "cy": 3}
    correct(contest, "ann", status="disqualified", score=None)
    assert table(contest) == {"di": 1, "bob": 2, "cy": 2, "ann": None}
    with pytest.raises(ContestError, match="Enter a score for bob"):
        correct(contest, "bob", score=None)


def test_rows_without_a_place_do_not_keep_scores_from_deciding():
    """As in a race where someone didn't finish, with or without a score."""
    contest = make_contest(
        standings=[("ann", 1, 10.0), ("bob", 2, 9.0), ("cy", 3, 8.0), ("di", 4, None), ("ed", 5, 9.0)]
    )
    for handle in ("di", "ed"):
        contest.standings.filter(player__handle=handle).update(status="unofficial", place=None, rank=None)
    correct(contest, "cy", score=95.0)
    assert table(contest) == {"cy": 1, "ann": 2, "bob": 3, "di": None, "ed": None}
    assert places(contest)["ed"] is None
    correct(contest, "cy", status="unofficial", score=None)
    assert table(contest) == {"ann": 1, "bob": 2, "cy": None, "di": None, "ed": None}
    correct(contest, "ed", status="ranked")
    assert table(contest) == {"ann": 1, "bob": 2, "ed": 2, "cy": None, "di": None}
    with pytest.raises(ContestError, match="Enter a score for di"):
        correct(contest, "di", status="ranked")


def test_a_correction_is_announced_and_recorded_with_its_reason():
    contest = make_contest(standings=[("ann", 1), ("bob", 2)])
    StaleMark.objects.all().delete()
    correct(contest, "ann", status="disqualified", reason="shared code")
    mark = StaleMark.objects.get()
    assert mark.since == contest.ends_at
    assert "shared code" in mark.cause
    entry = AuditEntry.objects.get(action="standing.correct")
    assert entry.reason == "shared code"
    assert entry.before["ann"]["status"] == "ranked"
    assert entry.after["ann"]["status"] == "disqualified"
    contest.refresh_from_db()
    assert contest.amended_at is not None


def test_the_history_of_several_corrections_begins_before_all_of_them():
    contest = make_contest(standings=[("ann", 1), ("bob", 2), ("cy", 3), ("di", 4), ("ed", 5)])
    out = {row.pk: Correction.of(row, status="disqualified") for row in contest.standings.filter(rank__in=(2, 4))}
    assert correct_standings(contest.pk, corrections=out, reason="left the hall") == 2
    ranks = {
        handle: (entry.before[handle]["rank"], entry.after[handle]["rank"])
        for entry in AuditEntry.objects.filter(action="standing.correct")
        for handle in entry.before
    }
    assert ranks == {"bob": (2, None), "di": (4, None)}
    back = {row.pk: Correction.of(row, status="ranked") for row in contest.standings.filter(rank=None)}
    correct_standings(contest.pk, corrections=back, reason="they were allowed to")
    entries = AuditEntry.objects.filter(action="standing.correct").order_by("-pk")[:2]
    assert {handle: entry.after[handle]["rank"] for entry in entries for handle in entry.after} == {"bob": 2, "di": 4}
    assert table(contest) == {"ann": 1, "bob": 2, "cy": 3, "di": 4, "ed": 5}


def test_a_correction_that_changes_nothing_rates_nothing():
    contest = make_contest(standings=[("ann", 1), ("bob", 2)])
    StaleMark.objects.all().delete()
    correct(contest, "ann")
    assert not StaleMark.objects.exists()
    assert not AuditEntry.objects.filter(action="standing.correct").exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"reason": "  "}, "give the reason"),
        ({"status": "banned"}, "is not a valid status"),
        ({"place": 9}, "Place 9 is out of range"),
        ({"place": 0}, "Place 0 is out of range"),
        ({"place": None}, "Enter a place for"),
    ],
)
def test_invalid_corrections_are_refused_with_a_message(fields, message):
    contest = make_contest(standings=[("ann", 1), ("bob", 2)])
    before = table(contest)
    with pytest.raises(ContestError, match=message):
        correct(contest, "ann", **fields)
    assert table(contest) == before


def test_a_draft_is_corrected_without_a_reason_or_a_rating():
    contest = make_contest(standings=[("ann", 1), ("bob", 2)], finalized=False)
    correct(contest, "bob", place=1, shares_place=False, reason="")
    assert table(contest) == {"bob": 1, "ann": 2}
    contest.refresh_from_db()
    assert contest.amended_at is None
    assert not StaleMark.objects.exists()


def test_a_row_far_down_keeps_its_place_when_only_its_status_changes():
    contest = make_contest(standings=[("ann", 1), ("bob", 7), ("cy", 20)])
    correct(contest, "cy", status="disqualified")
    assert table(contest) == {"ann": 1, "bob": 2, "cy": None}
    correct(contest, "cy", status="ranked")
    assert table(contest) == {"ann": 1, "bob": 2, "cy": 3}


def test_places_are_those_that_organizers_see_after_a_tie():
    rows = [("ann", 1), ("bob", 2), ("cy", 3), ("di", 3), ("ed", 5), ("flo", 6)]
    contest = make_contest(standings=rows)
    correct(contest, "di", place=1)
    assert table(contest) == {"ann": 1, "bob": 3, "cy": 4, "di": 1, "ed": 5, "flo": 6}
    correct(contest, "ed", place=3)
    assert table(contest) == {"ann": 1, "bob": 3, "cy": 5, "di": 1, "ed": 3, "flo": 6}
    correct(contest, "di", place=5, shares_place=False)
    assert table(contest) == {"ann": 1, "bob": 2, "cy": 4, "di": 5, "ed": 2, "flo": 6}


def test_a_gap_in_a_file_is_closed_before_a_row_moves():
    contest = make_contest(standings=[("ann", 1), ("bob", 4), ("cy", 9), ("di", 12)])
    correct(contest, "di", place=2, shares_place=False)
    assert table(contest) == {"ann": 1, "bob": 3, "cy": 4, "di": 2}


def test_a_team_is_moved_as_one():
    contest = make_contest(standings=[("a1", 1), ("a2", 1), ("b1", 2), ("b2", 2)], finalized=False, has_teams=True)
    contest.standings.filter(player__handle__startswith="a").update(team="A")
    contest.standings.filter(player__handle__startswith="b").update(team="B")
    correct(contest, "b2", place=1, shares_place=False)
    assert table(contest) == {"b1": 1, "b2": 1, "a1": 2, "a2": 2}


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_a_score_is_a_number(score):
    contest = make_contest(standings=[("ann", 1), ("bob", 2)])
    with pytest.raises(ContestError, match="score"):
        correct(contest, "ann", score=score)


def test_where_scores_decide_a_team_is_moved_by_its_score():
    rows = [("a1", 1, 9.0), ("a2", 1, 9.0), ("b1", 2, 8.0), ("b2", 2, 8.0), ("c1", 3, 7.0), ("c2", 3, 7.0)]
    contest = make_contest(standings=rows, teams={handle: handle[0] for handle, *_ in rows}, is_rated=False)
    correct(contest, "c1", score=10.0)
    assert table(contest) == {"c1": 1, "c2": 1, "a1": 2, "a2": 2, "b1": 3, "b2": 3}
    assert contest.standings.get(player__handle="c2").score == 10.0


def test_the_rows_of_a_contest_are_read_as_often_for_many_corrections_as_for_one(django_assert_max_num_queries):
    contest = make_contest(standings=[(f"p{i}", i) for i in range(1, 41)])
    reads = []
    for number in (1, 20):
        rows = contest.standings.order_by("rank")[:number]
        last_first = {row.pk: Correction("ranked", 41, shares_place=False) for row in rows}
        with django_assert_max_num_queries(200) as captured:
            assert correct_standings(contest.pk, corrections=last_first, reason="appeal") == number
        reads.append(sum(each["sql"].startswith("SELECT") and "_standing" in each["sql"] for each in captured))
    assert reads[0] == reads[1] <= 4
    expected = [*range(22, 41), 1, *range(2, 22)]
    assert list(contest.standings.order_by("rank").values_list("player__handle", flat=True)) == [
        f"p{i}" for i in expected
    ]
