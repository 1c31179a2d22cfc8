"""Rights to see and change players, and redirects from old addresses."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from contests.errors import ContestError
from contests.models import Player, PlayerMerge
from contests.services.contests import delete_contest, finalize_contest
from contests.services.merging import split_players
from contests.services.renaming import add_alias, rename_player
from tests.factories import make_community, make_contest, make_player, make_series, make_user, rate
from tests.web.organize.forms import confirm
from tests.web.organize.people.merging import at, merge, text_of, two_spellings
from web.shared.params import SeriesPath

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def people(series):
    return two_spellings(series)


# Rights

PAGES = ("person", "person-edit", "person-rename", "person-merge")
DEEDS = ("person-edit", "person-rename", "person-merge", "person-name", "person-name-remove")


def statuses(client, player, deeds=DEEDS):
    return {client.post(at(name, player.pk), {"handle": "x"}).status_code for name in deeds}


def test_only_an_organizer_of_all_series_of_a_player_can_change_the_player(organizer, people, ida):
    bob, other = people["bob"], make_series("inland-cup", name="Inland Cup")
    make_contest(other, standings=[("bob", 1)])
    said = "results in 1 other series that you do not organize"
    page = organizer.get(at("person", bob.pk))
    assert page.status_code == 200
    assert not page.context["may_change"]
    assert f"{said}: “Inland Cup”." in text_of(page)
    assert statuses(organizer, bob) == {403}
    assert f"{said}: “Inland Cup”." in text_of(organizer.get(at("person-rename", bob.pk)))
    other.is_private = True
    other.save()
    assert statuses(organizer, bob) == {403}, "the organizer knows the player and learns the reason"
    for name in ("person", "person-rename"):
        assert f"{said}." in text_of(organizer.get(at(name, bob.pk)))
        assert "Inland Cup" not in text_of(organizer.get(at(name, bob.pk)))
    other.organizers.add(ida)
    assert not {403, 404} & statuses(organizer, bob)


def test_owners_of_the_community_rename_and_merge_players_without_results(client):
    owner = make_user("owner")
    make_community(owner=owner)
    client.force_login(owner)
    alone, twice = make_player("alone"), make_player("twice")
    confirm(client, client.post(at("person-rename", alone.pk), {"handle": "solo"}))
    assert Player.objects.get(pk=alone.pk).handle == "solo"
    said = {"kept": alone.pk, "reason": "one person"}
    confirm(client, client.post(at("person-merge", alone.pk, **{"with": twice.handle}), said))
    assert PlayerMerge.objects.exists()


@pytest.mark.parametrize("state", ["draft", "deleted draft", "deleted"])
@pytest.mark.parametrize("is_public", [True, False])
def test_drafts_and_deleted_contests_of_others_do_not_block_changes(organizer, people, ida, state, is_public):
    """An organizer of another series names the players in a draft or in a deleted contest."""
    eve = make_user("eve")
    own = make_series("eves-cup", name="Confidential", organizer=eve, is_public=is_public)
    names = [(handle, place) for place, handle in enumerate(people, 1)]
    trap = make_contest(own, standings=names, name="Confidential draft", finalized=state == "deleted")
    if state != "draft":
        delete_contest(trap.pk, reason="spite", actor=eve)
    kept, merged = people["alexanderk"], people["alexander_k"]
    page = organizer.get(at("person", kept.pk))
    assert page.context["may_change"]
    assert not {403, 404} & statuses(organizer, people["bob"])
    renamed = confirm(organizer, organizer.post(at("person-rename", people["bob"].pk), {"handle": "Robert"}))
    assert renamed.status_code == 200
    proposed = organizer.post(
        at("person-merge", kept.pk, **{"with": merged.handle}), {"kept": kept.pk, "reason": "told in confidence"}
    )
    shown = text_of(organizer.get(proposed["Location"]))
    assert confirm(organizer, proposed).status_code == 200
    assert PlayerMerge.objects.get().merged == merged
    assert "Confidential" not in shown + text_of(organizer.get(at("person", kept.pk)))
    # The organizer of the draft may not change the players, and cannot read why they were merged.
    stranger = Client()
    stranger.force_login(eve)
    assert statuses(stranger, kept) == {403}
    assert "told in confidence" not in text_of(stranger.get(reverse("organize:series", args=[own])))
    if state == "draft":
        with pytest.raises(ContestError, match="has been merged into “alexanderk”, but"):
            finalize_contest(trap.pk, actor=eve)


def test_a_draft_gives_its_organizer_no_right_to_players_of_others(client, people, series):
    client.force_login(eve := make_user("eve"))
    make_contest(make_series("eves-cup", organizer=eve), standings=[("bob", 1), ("ann", 2)], finalized=False)
    assert statuses(client, people["bob"]) == {403}
    series.is_private = True
    series.save()
    assert statuses(client, people["bob"]) == {403}
    assert series.name not in text_of(client.get(at("person-rename", people["bob"].pk)))


def test_history_of_other_series_is_visible_only_to_their_organizers(client, people, series):
    merge(people, reason="told in confidence")
    own = make_series("inland-cup", organizer=(eve := make_user("eve")))
    make_contest(own, standings=[("alexanderk", 1)], name="Own round")
    client.force_login(eve)
    text = text_of(client.get(at("person", people["alexanderk"].pk)))
    assert "Own round" in text
    assert "alexander_k" in text
    for secret in ("told in confidence", "Second"):
        assert secret not in text
    series.organizers.add(eve)
    assert "told in confidence" in text_of(client.get(at("person", people["alexanderk"].pk)))


def test_a_player_is_not_merged_with_a_player_of_others(organizer, people):
    make_contest(make_series("inland-cup", name="Inland Cup"), standings=[("alexander_kk", 1)])
    other = make_player("alexander_kk")
    answer = organizer.get(at("person-merge", people["alexanderk"].pk, **{"with": "alexander_kk"}))
    assert answer.status_code == 422
    assert "“alexander_kk” has results in 1 other series that you do not organize: “Inland Cup”." in text_of(answer)
    posted = organizer.post(
        at("person-merge", people["alexanderk"].pk, **{"with": "alexander_kk"}),
        {"kept": other.pk, "reason": "mine"},
    )
    assert posted.status_code == 422
    assert not PlayerMerge.objects.exists()


def test_strangers_and_visitors_see_and_change_nothing(client, people, series):
    merged = merge(people)
    addresses = [at(name, people["alexanderk"].pk) for name in PAGES] + [
        at("people", series),
        at("merge-split", merged.pk),
    ]
    for address in addresses:
        assert client.get(address)["Location"].startswith(reverse("login"))
    client.force_login(make_user("eve"))
    assert {client.get(address).status_code for address in addresses} == {403}
    assert statuses(client, people["alexanderk"]) == {403}


def test_only_staff_change_players_without_results(organizer, people):
    nobody = make_player("nobody")
    assert organizer.get(at("person", nobody.pk)).status_code == 404
    assert statuses(organizer, nobody) == {404}
    staff = Client()
    staff.force_login(make_user("boss", is_staff=True))
    assert staff.get(at("person", nobody.pk)).status_code == 200
    assert not {403, 404} & statuses(staff, nobody)


@pytest.mark.parametrize("pk", [0, 2**70])
def test_an_unknown_player_answers_404(organizer, pk):
    for name in (*PAGES, "merge-split"):
        assert organizer.get(at(name, pk)).status_code == 404


# Where old addresses lead


@pytest.fixture
def merged(people, series):
    made = merge(people)
    add_alias(people["alexanderk"].pk, handle="sasha")
    rename_player(people["bob"].pk, handle="Robert")
    rate(series)
    return made


@pytest.mark.parametrize(
    ("old", "new"), [("alexander_k", "alexanderk"), ("SASHA", "alexanderk"), ("bob", "Robert"), ("robert", "Robert")]
)
def test_old_addresses_lead_to_the_player_for_people_and_programs(client, merged, old, new):
    answer = client.get(reverse("player", args=["main", old]), {"series": "harbour-cup"})
    assert answer.status_code == 301
    assert answer["Location"] == reverse("player", args=["main", new], query={"series": "harbour-cup"})
    assert answer["Cache-Control"] == "no-cache"
    if old != "robert":  # programs get an answer regardless of the case of the handle
        for name in ("api:player", "api:history"):
            answer = client.get(reverse(name, args=["main", old]))
            assert answer.status_code == 308
            assert answer["Location"] == reverse(name, args=["main", new])


def test_after_a_split_each_has_its_own_page_again(client, merged):
    split_players(merged.pk, reason="two people after all")
    for name in ("player", "api:player"):
        assert client.get(reverse(name, args=["main", "alexander_k"])).status_code == 200


def test_lists_searches_and_the_leaderboard_leave_merged_players_out(client, merged):
    pages = [
        reverse("players", query={"q": "alexander"}),
        reverse("leaderboard", args=[SeriesPath("main", "harbour-cup")]),
        reverse("api:players", query={"search": "alexander"}),
        reverse("api:leaderboard", args=["main", "harbour-cup"]),
    ]
    for page in pages:
        text = text_of(client.get(page))
        assert "alexanderk" in text, page
        assert "alexander_k" not in text, page
    found = client.get(reverse("players", query={"q": "alexander_k"})).context["rows"]
    assert [row.player.handle for row in found] == ["alexanderk"]
    missed = client.get(reverse("player", args=["main", "alexander_kk"]))
    assert [player.handle for player in missed.context["players"]] == ["alexanderk"]


def test_organizers_of_a_series_have_no_right_to_one_with_the_same_slug_in_another_community(organizer, people, ida):
    """The organizer of one series sees no results of a private one, whatever it is called."""
    hidden = make_series("secret-cup", is_public=False, name="Secret Cup")
    make_contest(hidden, standings=[("bob", 1)])
    assert "Secret Cup" not in text_of(organizer.get(at("person", people["bob"].pk)))
    make_series("secret-cup", community="elsewhere", organizer=ida, name="Another Cup")
    assert "Secret Cup" not in text_of(organizer.get(at("person", people["bob"].pk)))
