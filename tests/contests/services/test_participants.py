"""Missing rows are added, wrong rows removed or given to their player; places and ranks are updated."""

from __future__ import annotations

import pytest

from contests.errors import ChangedMeanwhile, ContestError
from contests.models import Player, Standing
from contests.queries.amendments import amendments_of
from contests.services.correcting import Correction
from contests.services.merging import merge_players, split_players
from contests.services.participants import add_standing, reassign_standing, remove_standing
from ratings.models import Rating, StaleMark
from tests.factories import make_contest, make_player, make_series, rate

pytestmark = pytest.mark.django_db


def table(contest):
    """The standings as handle -> (place, rank)."""
    return {h: (p, r) for h, p, r in contest.standings.values_list("player__handle", "place", "rank")}


def add(contest, handle, place=None, *, status="ranked", shares=False, score=None, reason="forgotten", **more):
    correction = Correction(status, place, shares_place=shares, score=score)
    return add_standing(contest.pk, handle=handle, correction=correction, reason=reason, **more)


def test_a_row_is_added_between_others_or_tied_or_at_the_end():
    contest = make_contest(standings=[("ann", 1), ("bob", 2), ("cy", 3)])
    add(contest, "dan", 2)
    assert table(contest) == {"ann": (1, 1), "dan": (2, 2), "bob": (3, 3), "cy": (4, 4)}
    add(contest, "eve", 1, shares=True)
    assert table(contest) == {"ann": (1, 1), "eve": (1, 1), "dan": (2, 3), "bob": (3, 4), "cy": (4, 5)}
    add(contest, "fay", 6)
    assert table(contest)["fay"] == (6, 6)
    contest.refresh_from_db()
    assert contest.standing_count == 6


def test_where_scores_decide_the_score_determines_the_place():
    contest = make_contest(standings=[("ann", 1, 90.0), ("bob", 2, 80.0)])
    add(contest, "dan", score=85.0)
    assert table(contest) == {"ann": (1, 1), "dan": (2, 2), "bob": (3, 3)}
    with pytest.raises(ContestError, match="Enter a score for eve"):
        add(contest, "eve", 1)


def test_where_lower_scores_are_better_they_determine_the_place():
    contest = make_contest(standings=[("ann", 1, 68.0), ("bob", 2, 71.0)])
    add(contest, "dan", score=70.0)
    assert table(contest) == {"ann": (1, 1), "dan": (2, 2), "bob": (3, 3)}
    remove_standing(contest.standings.get(player__handle="ann").pk, reason="never came")
    assert table(contest) == {"dan": (1, 1), "bob": (2, 2)}


def test_known_players_are_found_and_others_created():
    known = make_player("Zoe")
    contest = make_contest(standings=[("ann", 1), ("bob", 2)])
    assert add(contest, " zOE ", 3).player == known
    assert add(contest, "new", 4).player.handle == "new"
    assert Player.objects.filter(handle="new").exists()


def test_a_member_of_a_team_shares_its_place():
    teams = {"ann": "reds", "bob": "reds", "cy": "blues", "di": "blues"}
    contest = make_contest(standings=[("ann", 1), ("bob", 1), ("cy", 2), ("di", 2)], teams=teams, is_rated=False)
    add(contest, "eve", 9, team="blues")
    assert table(contest)["eve"] == table(contest)["cy"] == (2, 2)


def test_removing_a_row_closes_the_ranks_and_adding_it_again_opens_them():
    contest = make_contest(standings=[("ann", 1), ("bob", 2), ("cy", 3)])
    rate(contest.series)
    before = sorted(Rating.objects.values_list("player__handle", "mu"))
    remove_standing(contest.standings.get(player__handle="bob").pk, reason="never came")
    assert table(contest) == {"ann": (1, 1), "cy": (3, 2)}
    rate(contest.series)
    assert len(Rating.objects.values_list("player__handle")) == 2
    add(contest, "bob", 2)
    assert {handle: rank for handle, (_, rank) in table(contest).items()} == {"ann": 1, "bob": 2, "cy": 3}
    rate(contest.series)
    assert sorted(Rating.objects.values_list("player__handle", "mu")) == before


def test_adding_and_removing_rows_is_announced_and_recorded():
    contest = make_contest(standings=[("ann", 1), ("bob", 2), ("cy", 3)])
    StaleMark.objects.all().delete()
    add(contest, "dan", 4, reason="his sheet was lost")
    remove_standing(contest.standings.get(player__handle="cy").pk, reason="never came")
    assert [mark.cause.split(":")[0].split(" ")[0] for mark in StaleMark.objects.order_by("id")] == ["Added", "Removed"]
    contest.refresh_from_db()
    told = [(each.handle, each.reason) for each in amendments_of(contest)]
    assert told == [("cy", "never came"), ("dan", "his sheet was lost")]
    assert [(each.is_added, each.result) for each in amendments_of(contest)] == [(False, "place 3"), (True, "place 4")]


@pytest.mark.parametrize(
    ("handle", "said", "words"),
    [
        ("ann", {"place": 3}, "is already in"),
        ("ANN", {"place": 3}, "is already in"),
        ("dan", {"place": 9}, "Place 9 is out of range"),
        ("dan", {}, "Enter a place for dan"),
        ("dan", {"place": 3, "status": "late"}, "is not a valid status"),
        ("dan", {"place": 3, "reason": " "}, "give the reason"),
        ("dan", {"place": 3, "score": float("nan")}, "must be a number"),
        ("a\0b", {"place": 3}, "a\0b"),
        ("x" * 200, {"place": 3}, "128"),
        (" ", {"place": 3}, "no visible characters"),
    ],
)
def test_invalid_rows_are_refused_and_create_no_player(handle, said, words):
    contest = make_contest(standings=[("ann", 1), ("bob", 2)])
    before = (Player.objects.count(), table(contest))
    with pytest.raises(ContestError, match=words):
        add(contest, handle, **{"place": None, **said})
    assert (Player.objects.count(), table(contest)) == before


def test_the_last_ranked_row_stays_and_the_slower_organizer_gets_a_message():
    contest = make_contest(standings=[("ann", 1), ("bob", 2, None, "unofficial")])
    row = contest.standings.get(player__handle="ann")
    with pytest.raises(ContestError, match="Delete the contest instead"):
        remove_standing(row.pk, reason="never came")
    add(contest, "dan", 2, version=0)
    with pytest.raises(ChangedMeanwhile):
        remove_standing(row.pk, reason="never came", version=0)
    with pytest.raises(ContestError, match="removed or replaced this row"):
        remove_standing(0, reason="never came")


def test_a_row_moves_to_another_player_with_all_its_content():
    teams = {"ann": "reds", "bob": "reds", "cy": "blues", "di": "blues"}
    rows = [("ann", 1, 5.0), ("bob", 1, 5.0), ("cy", 2, 4.0), ("di", 2, 4.0)]
    contest = make_contest(standings=rows, teams=teams, is_rated=False)
    contest.standings.filter(team="blues").update(penalty=90.0, handicap=50.0, share=0.5)
    content = [field.attname for field in Standing._meta.concrete_fields if field.attname not in ("id", "player_id")]
    di = contest.standings.get(player__handle="di")
    before, others = [getattr(di, name) for name in content], list(contest.standings.exclude(pk=di.pk).values())
    moved = reassign_standing(di.pk, handle=" EVE", reason="a namesake")
    assert [getattr(moved, name) for name in content] == before
    assert moved.player.handle == "EVE"
    assert not contest.standings.filter(player__handle="di").exists()
    assert list(contest.standings.exclude(pk=moved.pk).values()) == others
    contest.refresh_from_db()
    assert contest.standing_count == 4


def test_a_moved_row_is_rated_as_if_the_other_player_had_taken_part():
    series, other = make_series("cup"), make_series("other")
    for place, winner in ((series, "ann"), (other, "eve")):
        make_contest(place, standings=[("bob", 1), ("ann", 2), ("eve", 3)])
        make_contest(place, standings=[(winner, 1), ("bob", 2)], name="Final")
    rate(series)
    row = series.contests.get(name="Final").standings.get(player__handle="ann")
    reassign_standing(row.pk, handle="eve", reason="a namesake")
    rate(series)
    rate(other)
    values = ("player__handle", "mu", "sigma")
    found = [sorted(Rating.objects.filter(series=each).values_list(*values)) for each in (series, other)]
    assert found[0] == found[1]


def test_a_move_has_one_cause_and_two_entries_that_a_split_does_not_undo():
    contest = make_contest(standings=[("ann", 1), ("bob", 2), ("cy", 3)])
    make_contest(contest.series, standings=[("robert", 1), ("cy", 2)])
    merge = merge_players(make_player("robert").pk, make_player("bob").pk, reason="one person")
    StaleMark.objects.all().delete()
    row = contest.standings.get(player__handle="robert")
    moved = reassign_standing(row.pk, handle="zed", reason="a namesake")
    assert [mark.cause for mark in StaleMark.objects.all()] == [
        f"Moved a result from robert to zed in {contest.name}: a namesake"
    ]
    contest.refresh_from_db()
    told = [(each.handle, each.result, each.is_added, each.reason) for each in amendments_of(contest)]
    assert told == [("zed", "place 2", True, "a namesake"), ("robert", "place 2", False, "a namesake")]
    split_players(merge.pk, reason="two people")
    moved.refresh_from_db()
    assert moved.player.handle == "zed"


def test_a_row_moves_to_no_one_who_has_a_row_already_and_not_without_a_reason():
    contest = make_contest(standings=[("ann", 1), ("bob", 2)])
    row = contest.standings.get(player__handle="ann")
    before = (Player.objects.count(), table(contest))
    for handle, reason, words in (
        ("BOB", "a namesake", "is already in"),
        ("ANN", "a namesake", "is the same player as “ann”"),
        ("zed", " ", "give the reason"),
        (" ", "a namesake", "no visible characters"),
    ):
        with pytest.raises(ContestError, match=words):
            reassign_standing(row.pk, handle=handle, reason=reason)
    with pytest.raises(ChangedMeanwhile):
        reassign_standing(row.pk, handle="zed", reason="a namesake", version=contest.version + 1)
    with pytest.raises(ContestError, match="removed or replaced this row"):
        reassign_standing(0, handle="zed", reason="a namesake")
    assert (Player.objects.count(), table(contest)) == before


def test_where_scores_decide_a_member_shares_the_penalty_too():
    teams = {"ann": "reds", "bob": "reds", "cy": "blues", "di": "blues"}
    rows = [("ann", 1, 5.0), ("bob", 1, 5.0), ("cy", 2, 5.0), ("di", 2, 5.0)]
    contest = make_contest(standings=rows, teams=teams, is_rated=False)
    contest.standings.filter(team="reds").update(penalty=60.0)
    contest.standings.filter(team="blues").update(penalty=90.0)
    add(contest, "eve", 9, team="blues")
    ranks = dict(contest.standings.values_list("player__handle", "rank"))
    assert ranks == {"ann": 1, "bob": 1, "cy": 2, "di": 2, "eve": 2}
