"""Staff look everything up under /admin/, and change it through the services only."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from contests.models import (
    AuditEntry,
    Contest,
    ContestState,
    Player,
    PlayerAlias,
    Series,
    Standing,
    StandingStatus,
)
from contests.services.merging import merge_players
from tests.factories import make_community, make_contest, make_player, make_series, make_user, rate
from tests.web.organize.everything import build_world, undone

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

MODELS = sorted(
    (model for model in admin.site._registry if model._meta.app_label in ("contests", "ratings")),
    key=lambda model: model._meta.label,
)
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
#: The forms of each model; everything else is read-only.
FORMS = {"contests.Series": {"add", "change"}, "contests.Player": {"change"}, "contests.PlayerAlias": {"add", "delete"}}


@pytest.fixture
def boss(client):
    """A browser in which a superuser is logged in."""
    client.force_login(make_user("boss", is_staff=True, is_superuser=True))
    return client


def address(model: Any, page: str = "changelist", *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def act(client: Any, action: str, *rows: Any, **fields: Any) -> Any:
    """Take an action on rows of one list; without `_do` this leads to the confirmation page."""
    chosen = {"action": action, "_selected_action": [row.pk for row in rows], **fields}
    return client.post(address(type(rows[0])), chosen, follow=True)


def told(answer: Any) -> list[str]:
    return [str(message) for message in answer.context["messages"]]


def test_every_table_can_be_looked_up():
    assert len(MODELS) == 17


def test_lists_and_pages_take_as_many_queries_for_very_many_rows_as_for_one(boss):
    ContentType.objects.get_for_models(*MODELS)  # remembered by Django from the first page on
    few, many = ({}, {})
    for size, counts in ((1, few), (200, many)):
        with undone():
            build_world(size)
            for model in MODELS:
                row = model.objects.order_by("pk")[0]
                for path in (address(model), address(model) + "?q=p1", address(model, "change", row.pk),
                             address(model, "history", row.pk)):  # fmt: skip
                    with CaptureQueriesContext(connection) as queries:
                        answer = boss.get(path)
                    assert answer.status_code == 200, path
                    counts[path.replace(f"/{row.pk}/", "/?/")] = len(queries)
    assert few == many
    assert len(few) == 4 * len(MODELS)
    assert max(few.values()) < 20


@every_model
def test_filters_searches_and_pages_out_of_range_show_a_list(boss, model):
    build_world(2)
    page = boss.get(address(model)).content.decode()
    filters = {link for link in re.findall(r'href="(\?[^"]+)"', page) if "__" in link or "=" in link}
    odd = ["?q=" + "a" * 10_000, "?q=%00", "?q=%22%27", "?p=0", "?p=99999", "?p=x", "?o=99", "?o=1", "?e=1", "?all="]
    for query in [*filters, *odd]:
        answer = boss.get(address(model) + query.replace("&amp;", "&"), follow=True)
        assert answer.status_code == 200, query


@every_model
def test_nothing_is_added_changed_or_deleted_without_the_services(boss, model):
    build_world(1)
    row = model.objects.order_by("pk")[0]
    forms = FORMS.get(model._meta.label, set())
    for page, args in {"add": [], "change": [row.pk], "delete": [row.pk]}.items():
        answer = boss.post(address(model, page, *args), {"post": "yes"} if page not in forms else {})
        assert answer.status_code in ({200, 302} if page in forms else {403}), page
    if "delete" not in forms:
        assert act(boss, "delete_selected", row, post="yes").status_code == 200
    assert model.objects.filter(pk=row.pk).exists()


@every_model
def test_organizers_who_are_not_staff_cannot_enter(client, model):
    world = build_world(1)
    client.force_login(world.organizer)
    row = model.objects.order_by("pk")[0]
    for path in (address(model), address(model, "change", row.pk), address(model, "history", row.pk)):
        answer = client.get(path)
        assert answer.status_code == 302
        assert answer["Location"].startswith(reverse("admin:login"))


@every_model
def test_staff_see_only_what_they_are_permitted_to_see(client, model):
    build_world(1)
    clerk = make_user("clerk", is_staff=True)
    client.force_login(clerk)
    assert client.get(reverse("admin:index")).status_code == 200
    assert client.get(address(model)).status_code == 403
    clerk.user_permissions.add(Permission.objects.get(codename=f"view_{model._meta.model_name}"))
    page = client.get(address(model))
    assert page.status_code == 200
    assert page.context["action_form"] is None, "people who may only view can take no action"


def test_names_are_data_in_the_admin_too(boss):
    markup = "<script>alert(1)</script>"
    series = make_series(name=markup)
    contest = make_contest(series, standings=[(markup, 1), ("bob", 2)], name=markup)
    for path in (address(Contest), address(Standing), address(Player), address(Contest, "change", contest.pk)):
        assert "<script>alert" not in boss.get(path).content.decode(), path
    assert "<script>alert" not in act(boss, "finalize", contest).content.decode()


def test_a_search_for_a_player_finds_rows_by_any_name_of_theirs(boss):
    world = build_world(1)
    rows = boss.get(address(Standing), {"q": "ALIAS0"}).context["cl"].queryset
    assert {row.player for row in rows} == {world.player}
    assert not boss.get(address(Standing), {"q": "alias"}).context["cl"].queryset.exists()


class TestContests:
    def test_drafts_are_finalized_after_a_confirmation_page(self, boss):
        series = make_series()
        drafts = [make_contest(series, players=2, finalized=False) for _ in range(2)]
        page = act(boss, "finalize", *drafts)
        assert "2 ranked participants will be rated." in page.content.decode()
        assert not Contest.objects.finalized().exists()
        assert told(act(boss, "finalize", *drafts, _do="Finalize")) == ["Finalize selected drafts: done for 2."]
        assert Contest.objects.finalized().count() == 2
        assert series.stale_marks.count() == 2
        assert {entry.actor.username for entry in AuditEntry.objects.filter(action="contest.finalize")} == {"boss"}

    def test_refusals_are_shown_and_the_other_rows_are_done(self, boss):
        empty, full = make_contest(finalized=False, name="Empty"), make_contest(players=2, finalized=False)
        answer = act(boss, "finalize", empty, full, _do="Finalize")
        assert told(answer)[0] == "Finalize selected drafts: done for 1."
        assert told(answer)[1].startswith("“Empty” has no ranked participants yet")
        assert set(Contest.objects.finalized()) == {full}

    def test_deleting_what_counts_needs_a_reason_that_is_kept(self, boss):
        contest = make_contest(players=2)
        assert "reason" in told(act(boss, "delete", contest, _do="Delete"))[0]
        assert Contest.objects.existing().filter(pk=contest.pk).exists()
        act(boss, "delete", contest, _do="Delete", reason="entered twice")
        contest.refresh_from_db()
        assert contest.state == ContestState.DELETED
        assert AuditEntry.objects.get(action="contest.delete").reason == "entered twice"

    def test_a_deleted_contest_is_restored(self, boss):
        contest = make_contest(players=2)
        act(boss, "delete", contest, _do="Delete", reason="entered twice")
        act(boss, "restore", contest, _do="Restore", reason="it was not")
        contest.refresh_from_db()
        assert contest.is_finalized

    def test_the_effect_on_ratings_can_be_looked_at_first(self, boss):
        contest = make_contest(players=2)
        rate(contest.series)
        page = act(boss, "delete", contest, _preview="1", reason="entered twice")
        assert page.redirect_chain[-1][0].startswith(reverse("organize:change"))
        assert page.status_code == 200
        assert f"Delete {contest.name}" in page.content.decode()
        assert Contest.objects.finalized().exists()

    def test_a_concurrent_change_is_reported_and_nothing_is_lost(self, boss):
        contest = make_contest(players=2, name="Spring")
        act(boss, "delete", contest)
        Contest.objects.update(version=7)
        answer = act(boss, "delete", contest, _do="Delete", reason="entered twice", **{f"version-{contest.pk}": "0"})
        assert "was changed from the command line" in told(answer)[0]
        assert Contest.objects.finalized().exists()

    def test_too_many_at_once_are_refused(self, boss):
        series = make_series()
        contests = [make_contest(series, finalized=False, day=i) for i in range(101)]
        assert told(act(boss, "finalize", *contests, _do="Finalize")) == ["Select at most 100 rows at once."]


def test_players_outside_the_rating_limits_can_be_ranked(boss):
    contest = make_contest(standings=[("ann", 1, 9.0), ("bob", 2, 8.0, "unofficial"), ("eve", 3, 7.0, "unofficial")])
    Standing.objects.filter(player__handle="bob").update(is_ineligible=True)
    bob, eve = (contest.standings.get(player__handle=handle) for handle in ("bob", "eve"))
    answer = act(boss, "compete", bob, eve, _do="Let compete", reason="the limits were wrong")
    assert told(answer)[1] == f"eve was not outside the rating limits of “{contest.name}”."
    assert contest.standings.get(pk=bob.pk).status == StandingStatus.RANKED
    assert contest.standings.get(pk=eve.pk).status == StandingStatus.UNOFFICIAL
    assert AuditEntry.objects.get(action="standing.correct").reason == "the limits were wrong"


def test_series_are_made_and_described_by_their_services(boss):
    make_community()
    form = {"community": "main", "name": "Harbour Cup", "slug": "harbour-cup", "description": ""}
    assert boss.post(address(Series, "add"), form).status_code == 302
    series = Series.objects.get(slug="harbour-cup")
    assert AuditEntry.objects.get(action="series.create").series == series
    boss.post(address(Series, "change", series.pk), {**form, "name": "Harbour Race"})
    entry = AuditEntry.objects.get(action="series.describe")
    assert (entry.before["name"], entry.after["name"]) == ("Harbour Cup", "Harbour Race")


def test_the_organizers_of_a_series_are_added_and_removed_by_their_services(boss):
    ida, eve = make_user("ida"), make_user("eve")
    series = make_series(organizer=ida)
    form = {"name": series.name, "description": "", "organizers": [eve.pk]}
    boss.post(address(Series, "change", series.pk), form)
    assert list(series.organizers.all()) == [eve]
    actions = AuditEntry.objects.filter(action__startswith="organizer.").order_by("id").values_list("action", flat=True)
    assert list(actions) == ["organizer.add", "organizer.remove"]


def test_a_concurrent_change_of_a_series_is_reported(boss):
    series = make_series(name="Harbour Cup")
    form = {"name": "Harbour Race", "description": "", "seen": "another"}
    answer = boss.post(address(Series, "change", series.pk), form, follow=True)
    assert "Someone else changed" in told(answer)[0]
    assert Series.objects.get().name == "Harbour Cup"


class TestPlayers:
    def test_the_description_of_a_player_is_saved_by_its_service(self, boss):
        ann = make_player("ann")
        boss.post(address(Player, "change", ann.pk), {"name": "Ann", "country": "de", "affiliation": "", "handle": "x"})
        ann.refresh_from_db()
        assert (ann.handle, ann.name, ann.country) == ("ann", "Ann", "DE")
        assert AuditEntry.objects.get(action="player.describe").player == ann

    def test_an_invalid_country_is_reported_and_not_saved(self, boss):
        ann = make_player("ann")
        answer = boss.post(address(Player, "change", ann.pk), {"name": "Ann", "country": "XX"}, follow=True)
        assert "not a valid country" in told(answer)[0]
        ann.refresh_from_db()
        assert ann.name == ""

    def test_other_names_are_added_and_removed_by_their_services(self, boss):
        ann = make_player("ann")
        boss.post(address(PlayerAlias, "add"), {"player": ann.pk, "handle": "Annie"})
        alias = PlayerAlias.objects.get(handle_key="annie", player=ann)
        boss.post(address(PlayerAlias, "delete", alias.pk), {"post": "yes"})
        assert not PlayerAlias.objects.exists()
        boss.post(address(PlayerAlias, "add"), {"player": ann.pk, "handle": "Annie"})
        act(boss, "delete_selected", PlayerAlias.objects.get(), post="yes")
        assert not PlayerAlias.objects.exists()
        assert AuditEntry.objects.filter(action="player.unalias").count() == 2

    def test_the_handle_of_another_player_is_refused_as_another_name(self, boss):
        make_player("bob")
        answer = boss.post(address(PlayerAlias, "add"), {"player": make_player("ann").pk, "handle": "BOB"}, follow=True)
        assert "bob" in told(answer)[0].lower()
        assert not PlayerAlias.objects.exists()

    def test_players_are_split_again_with_a_reason(self, boss):
        contest = make_contest(standings=[("ann", 1), ("bob", 2)])
        make_contest(contest.series, standings=[("annie", 1), ("bob", 2)])
        merge = merge_players(make_player("ann").pk, make_player("annie").pk, reason="one person")
        assert "reason" in told(act(boss, "split", merge, _do="Split"))[0]
        act(boss, "split", merge, _do="Split", reason="two persons after all")
        assert make_player("annie").standings.count() == 1
        assert "not merged" in told(act(boss, "split", merge, _do="Split", reason="again"))[0]


def test_invitations_are_withdrawn(boss):
    world = build_world(1)
    act(boss, "withdraw", world.invitation, _do="Withdraw")
    world.invitation.refresh_from_db()
    assert world.invitation.withdrawn_at is not None
    assert AuditEntry.objects.get(action="organizer.withdraw").actor.username == "boss"
