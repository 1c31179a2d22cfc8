"""Partial play and handicaps from a file to ratings: stored, rated, appended, replayed, previewed and corrected."""

from __future__ import annotations

import pytest

from contests.errors import ContestError
from contests.models import AuditEntry, Contest, Standing
from contests.services.contests import finalize_contest, save_standings
from contests.services.correcting import Correction, correct_standing
from contests.services.participants import add_standing, remove_standing
from contests.services.standings import PlayerRegister
from ratings.models import RatingChange, Run, StaleMark
from ratings.publishing.projection import Entry, preview_contest
from ratings.publishing.schemes import choose_scheme
from ratings.systems import Contest as Round
from ratings.systems import get_system
from tests.contests.formats.reading import read_one
from tests.factories import make_contest, make_player, make_series, rate, roll_back

pytestmark = pytest.mark.django_db

TEAMS = "rank,handle,team,share,handicap\n1,ann,red,0.5,{0}\n1,bob,red,,{0}\n2,eve,blue,,\n2,kim,blue,0.25,\n"
PAIR = "rank,handle,handicap\n1,ann,100\n2,bob,\n"


def draft(series, table, **fields):
    contest = make_contest(series, finalized=False, **fields)
    save_standings(contest.pk, parsed=read_one(table))
    contest.refresh_from_db()
    return contest


def finalized(contest):
    finalize_contest(contest.pk)
    contest.refresh_from_db()
    return contest


def means(contest):
    rows = RatingChange.objects.current().filter(contest=contest).order_by("player__handle_key")
    return [row.mu for row in rows]


def test_ratings_are_those_of_the_library_in_appends_replays_and_previews():
    series = make_series()
    choose_scheme(series.pk, system="trueskill")
    finalized(draft(series, "rank,handle\n1,kim\n2,eve\n3,bob\n"))
    rate(series)
    contest = draft(series, TEAMS.format("2.5"))
    assert (contest.has_teams, contest.has_shares, contest.has_handicaps) == (True, True, True)
    assert sorted(contest.standings.values_list("player__handle", "share", "handicap")) == [
        ("ann", 0.5, 2.5), ("bob", None, 2.5), ("eve", None, None), ("kim", 0.25, None),
    ]  # fmt: skip
    previewed = {row.handle: row.mu for row in preview_contest(contest).rows}
    from_file = preview_contest(
        contest,
        [
            Entry(row.player.handle, row.player_id, row.rank, row.team, row.share, row.handicap)
            for row in contest.standings.select_related("player")
        ],
    )
    finalized(contest)
    run = rate(series)
    assert run.kind == "append"
    appended, digest = means(contest), run.input_hash
    system = get_system("trueskill")
    beliefs = system.new_beliefs(4)
    system.rate_round(beliefs, Round([3, 2, 1], [1, 2, 3]))
    expected = system.rate_round(
        beliefs, Round(range(4), [1, 1, 2, 2], teams="rrbb", play=[0.5, 1, 1, 0.25], handicap=[2.5, 2.5, 0, 0])
    )
    assert appended == pytest.approx(expected.mu.tolist(), rel=1e-12)
    assert [previewed[handle] for handle in ("ann", "bob", "eve", "kim")] == appended
    assert {row.handle: row.mu for row in from_file.rows} == previewed
    assert rate(series, full=True).input_hash == digest
    assert means(contest) == appended
    # Without the terms: other ratings, and another digest of the inputs.
    Standing.objects.filter(contest=contest).update(share=None, handicap=None)
    Contest.objects.filter(pk=contest.pk).update(has_shares=False, has_handicaps=False)
    without = rate(series, full=True)
    assert without.input_hash != digest
    assert means(contest) != appended


def test_digests_of_rows_change_only_with_shares_and_handicaps():
    register = PlayerRegister("main")
    plain, one = (read_one(f"rank,handle,share\n1,ann,{share}\n2,bob,\n").standings for share in ("", "1"))
    half = read_one("rank,handle,share\n1,ann,0.5\n2,bob,\n").standings
    assert register.digest(plain) == register.digest(one) != register.digest(half)
    assert register.digest(read_one("rank,handle\n1,ann\n2,bob\n").standings) == register.digest(plain)


def test_a_share_in_a_system_without_partial_play_changes_nothing():
    with_shares, without = make_series("cup"), make_series("plain")
    for series, share in ((with_shares, "0.25"), (without, "")):
        choose_scheme(series.pk, system="elo")
        finalized(draft(series, f"rank,handle,share\n1,ann,{share}\n2,bob,\n"))
        rate(series)
    first, second = (means(series.contests.get()) for series in (with_shares, without))
    assert first == second == [1512.0, 1488.0]


def test_a_handicap_moves_expectations_and_correcting_it_changes_ratings():
    series = make_series()
    choose_scheme(series.pk, system="elo", parameters={"k_factor": 24.0})
    contest = finalized(draft(series, PAIR))
    rate(series)
    expected = 1 / (1 + 10 ** (-100 / 400))
    assert means(contest) == pytest.approx([1500 + 24 * (1 - expected), 1500 - 24 * (1 - expected)])
    ann = contest.standings.get(player__handle="ann")
    first_run = Run.objects.current(series.pk).number
    correct_standing(ann.pk, correction=Correction("ranked", 1, handicap=0.0), reason="no handicap")
    contest.refresh_from_db()
    assert not contest.has_handicaps
    assert AuditEntry.objects.get(action="standing.correct").before["ann"]["handicap"] == 100.0
    rate(series)
    assert means(contest) == [1512.0, 1488.0]
    roll_back(series.pk, first_run, reason="back")
    assert means(contest)[0] == pytest.approx(1500 + 24 * (1 - expected))
    for wrong, message in (
        (Correction("ranked", 1, share=1.5), "share played by ann"),
        (Correction("ranked", 1, handicap=1e9), "handicap of ann"),
    ):
        with pytest.raises(ContestError, match=message):
            correct_standing(ann.pk, correction=wrong, reason="?")


def test_rows_of_a_team_keep_one_handicap():
    series = make_series()
    choose_scheme(series.pk, system="trueskill")
    contest = draft(series, TEAMS.format("1"))
    row = contest.standings.get(player__handle="ann")
    correct_standing(row.pk, correction=Correction("ranked", 1, share=0.75, handicap=3.0), reason="")
    rows = contest.standings.filter(team="red").order_by("player__handle")
    assert list(rows.values_list("player__handle", "share", "handicap")) == [("ann", 0.75, 3.0), ("bob", None, 3.0)]
    new = add_standing(contest.pk, handle="zoe", team="red", correction=Correction("ranked"), reason="")
    assert new.handicap == 3.0
    for handle in ("ann", "bob", "zoe", "kim"):
        remove_standing(contest.standings.get(player__handle=handle).pk)
    contest.refresh_from_db()
    assert (contest.has_teams, contest.has_shares, contest.has_handicaps) == (True, False, False)


def test_a_ladder_refuses_handicaps_and_says_which_systems_respect_them():
    series = make_series()
    choose_scheme(series.pk, system="ladder")
    contest = draft(series, PAIR)
    words = r"has handicaps .* Ladder has positions .* \(Elo-MMR, .* or Kreimeier\)"
    for refused in (lambda: preview_contest(contest), lambda: finalized(contest)):
        with pytest.raises(ContestError, match=words):
            refused()
    contest.refresh_from_db()
    assert contest.is_draft
    choose_scheme(series.pk, system="elo")
    finalized(contest)
    with pytest.raises(ContestError, match="Ladder has positions"):
        choose_scheme(series.pk, system="ladder")
    assert StaleMark.objects.filter(series=series).exists()


def test_the_database_refuses_impossible_shares(django_db_blocker):
    from django.db import IntegrityError, transaction

    contest = make_contest(make_series(), players=1)
    for share in (0.0, 1.5, -1.0):
        with pytest.raises(IntegrityError), transaction.atomic():
            Standing.objects.create(contest=contest, player=make_player("x"), place=2, rank=2, share=share)
