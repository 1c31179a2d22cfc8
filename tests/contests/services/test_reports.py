"""Games that players report: who may report them, what counts as the same game, and how a report becomes a game."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from contests.errors import ContestError
from contests.models import AuditEntry, Contest, GameReport, Player, PlayerClaim, Standing
from contests.services.communities import describe_community
from contests.services.merging import merge_players
from contests.services.reports import (
    AlreadyThere,
    ReportedGame,
    accept_report,
    confirm_report,
    dispute_report,
    expire_reports,
    reject_report,
    report_game,
    withdraw_report,
)
from contests.services.series import describe_series
from contests.wording import day_in_words
from ratings.models import Rating, StaleMark
from tests.factories import make_community, make_contest, make_player, make_series, make_user, rate

pytestmark = pytest.mark.django_db


class League:
    """A series that takes reports, with ann and bo, who have accounts, and cy, who has none."""

    def __init__(self) -> None:
        self.owner = make_user("olga")
        make_community("main", owner=self.owner)
        self.series = make_series("league", takes_reports=True)
        make_contest(self.series, standings=[("ann", 1), ("bo", 2)])
        make_contest(self.series, standings=[("bo", 1), ("cy", 2)])
        self.ann, self.bo, self.cy = make_player("ann"), make_player("bo"), make_player("cy")
        self.anna, self.bob = make_user("anna"), make_user("bob")
        for player, user in ((self.ann, self.anna), (self.bo, self.bob)):
            PlayerClaim.objects.create(community_id="main", player=player, user=user)
        self.today = timezone.now().date()

    def said(self, outcome: int = 1, *, opponent: Player | None = None, **more) -> ReportedGame:
        return ReportedGame((opponent or self.bo).pk, outcome, more.pop("day", self.today), **more)

    def report(self, outcome: int = 1, *, actor=None, **more) -> GameReport:
        said = self.said(outcome, **more)
        return report_game(self.series.pk, said=said, actor=actor or self.anna)[0]

    def games(self):
        return Contest.objects.filter(event__isnull=False)


@pytest.fixture
def league():
    return League()


def test_a_confirmed_report_is_the_same_as_a_game_that_an_organizer_adds(league):
    report, is_new = report_game(league.series.pk, said=league.said(scores=(3.0, 1.0)), actor=league.anna)
    assert (is_new, league.games().count(), report.result) == (True, 0, "3–1")
    assert not StaleMark.objects.filter(cause__contains="ann – bo").exists(), "nothing counts before the confirmation"
    confirmed = confirm_report(report.pk, actor=league.bob)
    game = league.games().get()
    assert (confirmed.game, game.state, game.is_rated, game.event.name) == (
        game, "finalized", True, f"Games of {day_in_words(league.today)}",
    )  # fmt: skip
    rows = Standing.objects.filter(contest=game).order_by("rank").values_list("player__handle", "rank", "score")
    assert list(rows) == [("ann", 1, 3.0), ("bo", 2, 1.0)]
    actions = AuditEntry.objects.filter(series=league.series).order_by("id").values_list("action", "actor__username")
    assert list(actions)[-4:] == [
        ("report.report", "anna"), ("contest.create", "bob"), ("game.add", "bob"), ("report.confirm", "bob"),
    ]  # fmt: skip
    assert confirm_report(report.pk, actor=league.bob).game == game
    assert league.games().count() == 1, "a second confirmation has no effect"
    rate(league.series)
    assert Rating.objects.get(player=league.ann).contest_count == 2


def test_both_opponents_who_report_one_game_confirm_it(league):
    first = league.report(1, scores=(2.0, 0.0))
    again, is_new = report_game(league.series.pk, said=league.said(1), actor=league.anna)
    assert (again, is_new) == (first, False), "clicking twice makes one report"
    other, is_new = report_game(league.series.pk, said=league.said(-1, opponent=league.ann), actor=league.bob)
    assert (other.pk, other.state, is_new) == (first.pk, "confirmed", False)
    assert league.games().count() == 1
    for actor, opponent, outcome in ((league.bob, league.ann, -1), (league.anna, league.bo, 1)):
        with pytest.raises(AlreadyThere, match="already has a game between you"):
            league.report(outcome, actor=actor, opponent=opponent)
    assert league.report(is_another=True).state == "waiting"


def test_different_results_of_one_day_are_another_game_only_if_the_player_says_so(league):
    league.report(1)
    with pytest.raises(AlreadyThere, match="with another result"):
        league.report(1, actor=league.bob, opponent=league.ann)
    with pytest.raises(AlreadyThere, match="with another result"):
        league.report(0)
    assert league.report(1, actor=league.bob, opponent=league.ann, is_another=True).state == "waiting"
    assert GameReport.objects.count() == 2


def test_scores_that_differ_are_not_the_same_game(league):
    league.report(1, scores=(2.0, 0.0))
    with pytest.raises(AlreadyThere):
        league.report(-1, actor=league.bob, opponent=league.ann, scores=(1.0, 2.0))
    assert not league.games().exists()


def test_impossible_games_are_refused_with_a_reason_and_nothing_is_stored(league):
    stranger = make_player("zoe", community="elsewhere")
    unseen = make_player("never-played")
    for fields, words in (
        ({"opponent": league.ann}, "cannot play against yourself"),
        ({"opponent": stranger}, "no such player"),
        ({"opponent": unseen}, "no such player"),
        ({"day": league.today + timedelta(days=2)}, "in the future"),
        ({"day": league.today - timedelta(days=31)}, "more than 30 days ago"),
        ({"scores": (1.0, 3.0)}, "does not agree"),
        ({"scores": (-1.0, -3.0)}, "between 0 and 10000"),
        ({"scores": (float("nan"), 0.0)}, "between 0 and 10000"),
    ):
        with pytest.raises(ContestError, match=words):
            league.report(**fields)
    assert not GameReport.objects.exists()


def test_only_players_with_an_account_report_and_only_where_the_series_allows(league):
    with pytest.raises(ContestError, match="not linked to a player"):
        league.report(actor=make_user("eve"))
    report = league.report()
    describe_series(
        league.series.pk, name="League", description="", is_public=True, takes_reports=False, actor=league.owner
    )
    for act in (lambda: league.report(0), lambda: confirm_report(report.pk, actor=league.bob)):
        with pytest.raises(ContestError, match="cannot report games in this series"):
            act()
    assert accept_report(report.pk, actor=league.owner).game is not None


def test_only_the_opponent_answers_and_only_the_reporter_withdraws(league):
    report = league.report()
    make_contest(league.series, standings=[("eve", 1), ("cy", 2)])
    eve = make_user("eve")
    PlayerClaim.objects.create(community_id="main", player=make_player("eve"), user=eve)
    for actor in (league.anna, eve, make_user("zed")):
        for act in (confirm_report, dispute_report):
            with pytest.raises(ContestError):
                act(report.pk, actor=actor)
    for actor in (league.bob, eve):
        with pytest.raises(ContestError, match="Only the person who reported"):
            withdraw_report(report.pk, actor=actor)
    assert dispute_report(report.pk, note="I was ill", actor=league.bob).state == "disputed"
    with pytest.raises(ContestError, match="no longer be confirmed"):
        confirm_report(report.pk, actor=league.bob)
    assert withdraw_report(report.pk, actor=league.anna).state == "withdrawn"
    with pytest.raises(ContestError, match="has withdrawn"):
        accept_report(report.pk, actor=league.owner)
    assert not league.games().exists()


def test_organizers_decide_what_is_disputed_or_has_no_opponent_with_an_account(league):
    report = league.report(opponent=league.cy)
    assert report.expires_at is None, "it waits for an organizer"
    assert accept_report(report.pk, actor=league.owner).state == "accepted"
    assert accept_report(report.pk, actor=league.owner).game == league.games().get()
    other = dispute_report(league.report(0).pk, actor=league.bob)
    rejected = reject_report(other.pk, note="not played", actor=league.owner)
    assert (rejected.state, rejected.note, rejected.game) == ("rejected", "not played", None)
    with pytest.raises(ContestError, match="already accepted"):
        reject_report(report.pk, actor=league.owner)


def test_reports_expire_whether_or_not_the_sweep_has_seen_them(league, settings):
    report = league.report()
    waits = league.report(opponent=league.cy)
    assert report.expires_at - report.created_at == timedelta(days=settings.PODIUM_REPORT_DAYS)
    GameReport.objects.filter(pk=report.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(ContestError, match="in time"):
        confirm_report(report.pk, actor=league.bob)
    assert expire_reports() == 1
    assert dict(GameReport.objects.values_list("pk", "state")) == {report.pk: "expired", waits.pk: "waiting"}
    assert AuditEntry.objects.get(action="report.expire").actor is None
    assert expire_reports() == 0


def test_limits_hold_for_a_pair_and_for_a_day(league, settings):
    for days in range(5):
        league.report(day=league.today - timedelta(days=days))
    with pytest.raises(ContestError, match="5 games that you reported against “bo” are still unconfirmed"):
        league.report(day=league.today - timedelta(days=6))
    settings.PODIUM_MAX_REPORTS_A_DAY = 6
    league.report(opponent=league.cy)
    with pytest.raises(ContestError, match="You have reported 6 games today"):
        league.report(0, opponent=league.cy, is_another=True)


def test_a_series_that_needs_a_second_person_gets_the_game_as_a_draft(league):
    league.series.needs_approval = True
    league.series.save()
    game = confirm_report(league.report().pk, actor=league.bob).game
    assert (game.state, game.event.state) == ("draft", "draft")


def test_a_private_series_takes_reports_only_from_its_readers(league):
    report = league.report()
    describe_community("main", name="Main", description="", visibility="private")
    for act in (lambda: league.report(0), lambda: confirm_report(report.pk, actor=league.bob)):
        with pytest.raises(ContestError, match="cannot report games in this series"):
            act()


def test_handles_with_a_plus_sign_are_not_split_into_teams(league):
    odd = make_player("x")
    Player.objects.filter(pk=odd.pk).update(handle="dee + fay", handle_key="dee + fay")
    make_contest(league.series, standings=[("cy", 1)]).standings.update(player=odd)
    report = league.report(opponent=odd)
    with pytest.raises(ContestError, match="cannot tell the two players apart by their handles"):
        accept_report(report.pk, actor=league.owner)
    assert not league.games().exists()


def test_merged_players_keep_their_reports_and_games_with_themselves_are_rejected(league):
    make_contest(league.series, standings=[("bo-2", 1)])
    twin = make_player("bo-2")
    kept_one, with_twin = league.report(opponent=league.cy), league.report(opponent=twin)
    between = GameReport.objects.create(
        series=league.series, player=league.bo, opponent=twin, outcome=1, day=league.today, created_at=timezone.now()
    )
    merge_players(league.bo.pk, twin.pk, reason="one person")
    with_twin.refresh_from_db()
    between.refresh_from_db()
    assert (with_twin.opponent, between.state, kept_one.opponent) == (league.bo, "rejected", league.cy)
    assert confirm_report(with_twin.pk, actor=league.bob).game is not None


def test_only_series_of_games_take_reports():
    cup = make_series("cup")
    make_contest(cup, players=3)
    with pytest.raises(ContestError, match="only if every contest of the series is a game"):
        describe_series(cup.pk, name="Cup", description="", is_public=True, takes_reports=True)
    cup.refresh_from_db()
    assert not cup.takes_reports
