"""Players are merged and split again."""

from __future__ import annotations

import itertools

import pytest

from contests.errors import ContestError
from contests.formats import ParsedContest, ParsedStanding
from contests.models import AuditEntry, Contest, Player, PlayerAlias, PlayerMerge, Standing
from contests.services.contests import delete_contest, restore_contest, save_standings
from contests.services.merging import merge_players, split_players
from contests.services.renaming import add_alias
from ratings.models import Rating, RatingChange, StaleMark
from tests.factories import make_contest, make_player, make_series, make_user, rate

pytestmark = pytest.mark.django_db


def merge(kept, merged, reason="one person"):
    players = {player.handle: player.pk for player in Player.objects.all()}
    return merge_players(players[kept], players[merged], reason=reason)


def split(merged, reason="they are two people"):
    return split_players(PlayerMerge.objects.get(merged__handle=merged, split_at=None).pk, reason=reason)


def owners():
    """Return what players own: rows by contest and place, other names, and merged players."""
    return (
        set(Standing.objects.values_list("pk", "contest", "place", "rank", "status", "player__handle")),
        set(PlayerAlias.objects.values_list("pk", "handle", "player__handle")),
        set(Player.objects.values_list("handle", "merged_into__handle")),
    )


def rated(series):
    """The published numbers, in full precision."""
    changes = RatingChange.objects.current().filter(series=series)
    fields = ("mu_before", "sigma_before", "mu", "sigma", "performance", "rank", "field_size")
    ratings = Rating.objects.filter(series=series)
    return (
        set(changes.values_list("contest", "player__handle", *fields)),
        {(r.player_id, r.mu, r.sigma, r.score, r.peak, r.contest_count, bytes(r.belief)) for r in ratings},
    )


@pytest.fixture
def series():
    """Three contests; "ann" is "anna" in the second."""
    series = make_series("harbour-cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cy", 3)], name="First")
    make_contest(series, standings=[("bob", 1), ("anna", 2), ("cy", 3)], name="Second")
    make_contest(series, standings=[("cy", 1), ("ann", 2), ("bob", 3)], name="Third")
    rate(series)
    return series


def test_results_names_and_earlier_merges_move_to_the_kept_player(series):
    draft = make_contest(series, standings=[("anna", 1)], finalized=False)
    add_alias(make_player("anna").pk, handle="annie")
    make_player("annika", merged_into=make_player("anna"))
    merge("ann", "anna")
    ann = make_player("ann")
    assert set(ann.standings.values_list("contest__name", flat=True)) == {"First", "Second", "Third", draft.name}
    assert list(ann.aliases.values_list("handle", flat=True)) == ["annie"]
    assert set(ann.merged_players.values_list("handle", flat=True)) == {"anna", "annika"}


def test_after_merge_and_split_everything_is_bit_for_bit_as_before(series):
    add_alias(make_player("anna").pk, handle="annie")
    before = owners(), rated(series)
    merge("ann", "anna")
    rate(series)
    merged = rated(series)
    assert merged != before[1]
    assert "anna" not in {row[1] for row in merged[0]}
    assert not Rating.objects.filter(player__handle="anna").exists()
    split("anna")
    rate(series)
    assert (owners(), rated(series)) == before


def test_a_merge_rates_as_if_it_had_always_been_one_player(series):
    merge("ann", "anna")
    rate(series)
    twin = make_series("twin")
    for contest in series.contests.in_order():
        rows = contest.standings.values_list("player__handle", "place")
        make_contest(twin, standings=list(rows), ends_at=contest.ends_at)
    rate(twin)
    numbers = [
        sorted((change[1:] for change in rated(each)[0]), key=lambda row: (row[0], row[-2], row[1]))
        for each in (series, twin)
    ]
    assert numbers[0] == numbers[1]


def test_each_series_is_rated_again_from_the_first_contest_that_moved(series):
    other = make_series("inland-cup")
    make_contest(other, standings=[("bob", 1), ("cy", 2)], day=0)
    late = make_contest(other, standings=[("anna", 1), ("bob", 2)], day=50)
    make_contest(other, standings=[("anna", 1), ("bob", 2)], day=60)
    make_contest(other, standings=[("anna", 1), ("bob", 2)], day=40, finalized=False)
    make_contest(make_series("untouched"), standings=[("bob", 1), ("cy", 2)])
    StaleMark.objects.all().delete()
    merge("ann", "anna", reason="asked by Ann")
    marks = {mark.series.slug: (mark.since, mark.cause) for mark in StaleMark.objects.select_related("series")}
    cause = "Merged anna into ann: asked by Ann"
    second = Contest.objects.get(name="Second")
    assert marks == {"harbour-cup": (second.ends_at, cause), "inland-cup": (late.ends_at, cause)}


def test_drafts_and_unrated_contests_move_without_a_re_rating():
    series = make_series()
    make_contest(series, standings=[("anna", 1)], finalized=False)
    make_contest(series, standings=[("anna", 1)], is_rated=False)
    make_player("ann")
    StaleMark.objects.all().delete()
    merge("ann", "anna")
    assert Standing.objects.filter(player__handle="ann").count() == 2
    assert not StaleMark.objects.exists()


def test_a_merge_counts_as_a_change_of_the_contests_that_it_touches(series):
    Contest.objects.update(content_hash="x")
    merge("ann", "anna")
    contests = dict(Contest.objects.values_list("name", "version"))
    assert contests == {"First": 0, "Second": 1, "Third": 0}
    # The handles in the file lead to the same players as before.
    assert not Contest.objects.exclude(content_hash="x").exists()


def test_players_in_the_same_contest_cannot_be_merged_and_the_contests_are_named(series):
    other = make_series("inland-cup", name="Inland Cup")
    make_contest(other, standings=[("ann", 1), ("bob", 2)], name="Duel")
    make_contest(other, standings=[("ann", 1)], name="Alone")
    before = owners()
    with pytest.raises(ContestError) as refusal:
        merge("ann", "bob")
    text = str(refusal.value)
    assert "“First” (Harbour Cup), “Duel” (Inland Cup), “Third” (Harbour Cup)" in text
    assert "Second" not in text
    assert "Alone" not in text
    assert owners() == before
    assert not PlayerMerge.objects.exists()


def test_a_deleted_contest_does_not_prevent_a_merge_but_is_then_not_restored(series):
    both = make_contest(series, standings=[("ann", 1), ("anna", 2)])
    alone = make_contest(series, standings=[("anna", 1), ("bob", 2)])
    for contest in (both, alone):
        delete_contest(contest.pk, reason="by mistake")
    before = owners()
    merge("ann", "anna")
    assert set(both.standings.values_list("player__handle", flat=True)) == {"ann", "anna"}
    assert set(alone.standings.values_list("player__handle", flat=True)) == {"ann", "bob"}
    with pytest.raises(ContestError, match="Split the two players first"):
        restore_contest(both.pk, reason="needed")
    split("anna")
    assert owners() == before
    restore_contest(both.pk, reason="needed")


def test_a_contest_deleted_before_and_restored_after_the_merge_belongs_to_the_kept_player(series):
    second = Contest.objects.get(name="Second")
    delete_contest(second.pk, reason="by mistake")
    merge("ann", "anna")
    restore_contest(second.pk, reason="needed")
    rate(series)
    assert Rating.objects.get(player__handle="ann").contest_count == 3
    split("anna")
    assert second.standings.filter(player__handle="anna").exists()


@pytest.mark.parametrize("order", list(itertools.permutations(["annie", "anna", "annika"])))
def test_nested_merges_are_split_in_any_order(order):
    series = make_series()
    for handle in ("ann", "anna", "annie", "annika"):
        make_contest(series, standings=[(handle, 1), ("bob", 2)])
        add_alias(make_player(handle).pk, handle=f"{handle}'s other name")
    before = owners()
    merge("anna", "annie")
    merge("annika", "anna")
    merge("ann", "annika")
    assert {pair for pair in owners()[2] if pair[1]} == {("anna", "ann"), ("annie", "ann"), ("annika", "ann")}
    for handle in order:
        split(handle)
        make_player(handle).refresh_from_db()
        assert make_player(handle).merged_into is None
    assert owners() == before


def test_splitting_a_later_merge_leaves_rows_that_were_split_and_merged_again():
    series = make_series()
    for handle in ("ann", "anna", "annie"):
        make_contest(series, standings=[(handle, 1), ("bob", 2)])
    merge("anna", "annie")
    merge("ann", "anna")
    split("annie")
    merge("ann", "annie")
    split("anna")
    assert Standing.objects.filter(player__handle="ann").count() == 2
    assert Standing.objects.filter(player__handle="anna").count() == 1
    assert make_player("annie").merged_into == make_player("ann")
    split("annie")
    assert dict(Standing.objects.exclude(place=2).values_list("player__handle", "place")).keys() == {
        "ann",
        "anna",
        "annie",
    }


def test_results_added_after_the_merge_stay_with_the_kept_player(series):
    draft = make_contest(series, standings=[("anna", 1), ("bob", 2)], finalized=False)
    merge("ann", "anna")
    again = [ParsedStanding(i, h, None, "ranked", "", "", "", None, i) for i, h in enumerate(("bob", "anna"), 1)]
    save_standings(draft.pk, parsed=ParsedContest("", "", again, [1, 2]))
    assert set(draft.standings.values_list("player__handle", flat=True)) == {"ann", "bob"}
    split("anna")
    assert set(draft.standings.values_list("player__handle", flat=True)) == {"ann", "bob"}
    assert Contest.objects.get(name="Second").standings.filter(player__handle="anna").exists()


def test_a_result_moved_to_another_player_since_stays_there(series):
    moved = Standing.objects.get(player__handle="anna")
    merge("ann", "anna")
    Standing.objects.filter(pk=moved.pk).update(player=make_player("zoe"))
    split("anna")
    assert Standing.objects.get(pk=moved.pk).player.handle == "zoe"


def test_the_same_merge_or_split_twice_is_done_once(series):
    first = merge("ann", "anna")
    assert merge("ann", "anna") == first
    split_players(first.pk, reason="two people")
    split_players(first.pk, reason="two people")
    actions = AuditEntry.objects.filter(series=series, action__startswith="player.").values_list("action", flat=True)
    assert sorted(actions) == ["player.merge", "player.split"]


def test_a_merge_and_its_split_are_recorded_for_both_players_and_the_series(series):
    merge("ann", "anna", reason="asked by Ann")
    entries = AuditEntry.objects.filter(action="player.merge")
    assert {entry.player.handle if entry.player else entry.series.slug for entry in entries} == {
        "ann",
        "anna",
        "harbour-cup",
    }
    assert {(entry.subject, entry.reason) for entry in entries} == {("anna into ann", "asked by Ann")}
    assert {entry.after["results"] for entry in entries} == {1}


def test_the_reason_does_not_appear_in_runs_of_other_organizers(series):
    ida = make_user("ida")
    own = make_series("own", organizer=ida)
    for one in (own, series):
        make_contest(one, standings=[("kept", 1), ("other", 2)])
        make_contest(one, standings=[("merged", 1), ("other", 2)], day=7)
    StaleMark.objects.all().delete()
    merge_players(make_player("kept").pk, make_player("merged").pk, reason="told in confidence", actor=ida)
    causes = {mark.series_id: mark.cause for mark in StaleMark.objects.all()}
    assert causes == {
        own.pk: "Merged merged into kept: told in confidence",
        series.pk: "Merged merged into kept",
    }


def test_impossible_merges_are_refused_with_a_message(series):
    merge("ann", "anna")
    with pytest.raises(ContestError, match="cannot merge a player with themselves"):
        merge("bob", "bob")
    with pytest.raises(ContestError, match="“anna” has already been merged into “ann”"):
        merge("dora" if make_player("dora") else "", "anna")
    with pytest.raises(ContestError, match="“anna” has already been merged into “ann”"):
        merge("anna", "dora")
    with pytest.raises(ContestError, match="reason"):
        merge("ann", "dora", reason="  ")
    with pytest.raises(ContestError, match="reason"):
        split("anna", reason="")
    with pytest.raises(ContestError, match="no longer exists"):
        merge_players(make_player("ann").pk, 10**9, reason="x")
    with pytest.raises(ContestError, match="no such merge"):
        split_players(10**9, reason="x")
