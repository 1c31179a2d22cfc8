"""Pages of communities for their owners and organizers: settings, members, invitations and limits."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from contests.errors import ContestError
from contests.models import AuditEntry, Community, Invitation, Membership, Player, PlayerAlias, PlayerKey, Series
from contests.services.communities import remove_member, set_role
from contests.services.correcting import Correction
from contests.services.merging import merge_players, split_players
from contests.services.organizers import NotOpen, accept_invitation, find_invitation, invite_member
from contests.services.participants import add_standing
from tests.factories import make_community, make_contest, make_player, make_series, make_user
from tests.invitations import accept, show_invitation
from tests.pages import Page
from tests.web.organize.forms import SERIES, upload
from web.shared.audit_trail import history_of_community

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("olga")


@pytest.fixture
def club(olga):
    return make_community("harbour", owner=olga, name="Harbour Club")


@pytest.fixture
def owner(olga, club):
    client = Client()
    client.force_login(olga)
    return client


def at(name, *args):
    return reverse(f"organize:{name}", args=args)


def client_of(name, role=None, club=None):
    user, client = make_user(name), Client()
    if role is not None:
        set_role(club.pk, user, role)
    client.force_login(user)
    return client


def roles(club):
    return dict(club.memberships.values_list("user__username", "role"))


def test_anyone_who_has_logged_in_creates_a_community_and_owns_it():
    bo = client_of("bo")
    assert "Create a community" in Page(bo.get(at("home"))).text
    answer = bo.post(at("community-create"), {"name": "Lake Club", "visibility": "private"}, follow=True)
    assert "Created Lake Club" in Page(answer).text
    club = Community.objects.get()
    assert (club.visibility, roles(club)) == ("private", {"bo": "owner"})
    bo.post(at("series-create"), SERIES | {"community": club.pk})
    assert not Series.objects.get(community=club).is_public
    assert "Harbour Cup" in Page(bo.get(at("community", club.pk))).text


def test_a_private_community_gets_the_address_that_the_form_shows():
    bo = client_of("bo")
    page = Page(bo.get(at("community-create")))
    ending = bo.get(at("community-create")).context["form"].ending
    assert re.fullmatch(r"[a-z2-9]{10}", ending)
    said = {"name": "Lake Club", "visibility": "private", "ending": ending}
    wrong = bo.post(at("community-create"), said | {"website": "none"})
    assert f"/c/lake-club-{ending}/" in Page(wrong).text
    assert ending not in page.text, "each form has an ending of its own"
    answer = Page(bo.post(at("community-create"), said, follow=True))
    assert f"http://testserver/c/lake-club-{ending}/" in answer.text
    assert Community.objects.get().pk == f"lake-club-{ending}"


@pytest.mark.parametrize("ending", ["", "known", "aaaaaaaaaa/", "AAAAAAAAAA", "\0", "a" * 11])
def test_only_random_endings_are_accepted(ending):
    bo = client_of("bo")
    bo.post(at("community-create"), {"name": "Lake Club", "visibility": "private", "ending": ending})
    assert re.fullmatch(r"lake-club-[a-z2-9]{10}", Community.objects.get().pk)
    assert not Community.objects.get().pk.endswith(ending or "?")


def test_a_public_community_gets_the_short_name_as_it_is():
    client_of("bo").post(at("community-create"), {"name": "Lake Club", "visibility": "public", "ending": "a" * 10})
    assert Community.objects.get().pk == "lake-club"


@pytest.mark.parametrize(("allowed", "statuses"), [("staff", (409, 409, 200)), ("invitation", (409, 200, 200))])
def test_a_setting_says_who_creates_communities(settings, club, allowed, statuses):
    settings.PODIUM_NEW_COMMUNITIES = allowed
    boss = Client()
    boss.force_login(make_user("boss", is_staff=True))
    people = (client_of("bo"), client_of("ida", "organizer", club), boss)
    assert tuple(each.get(at("community-create")).status_code for each in people) == statuses


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "港"}, "slug"),
        ({"slug": "Harbour Club"}, "slug"),
        ({"slug": "a--b"}, "slug"),
        ({"slug": "x" * 41}, "slug"),
        ({"slug": "harbour"}, "__all__"),
        ({"visibility": "secret"}, "visibility"),
        ({"website": "javascript:alert(1)"}, "website"),
    ],
)
def test_a_wrong_community_form_has_an_error_at_the_field(owner, said, field):
    answer = owner.post(at("community-create"), {"name": "New", "visibility": "public", **said})
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert Community.objects.count() == 1


def test_owners_change_the_settings_and_organizers_do_not(owner, club):
    series = make_series("cup", community="harbour")
    said = {"name": "New Name", "visibility": "private", "accent": "#1A7F37", "website": "https://example.org/"}
    assert client_of("ida", "organizer", club).post(at("community-settings", "harbour"), said).status_code == 403
    assert owner.post(at("community-settings", "harbour"), said).status_code == 302
    club.refresh_from_db()
    series.refresh_from_db()
    assert (club.name, club.accent, club.website) == ("New Name", "#1a7f37", "https://example.org/")
    assert not series.is_public
    text = Page(owner.get(at("community", "harbour"))).text
    assert "changed the settings of" in text
    assert "visibility public → private" in text
    assert "accent colour none → #1a7f37" in text
    assert owner.post(at("community-settings", "harbour"), said | {"description": "Boats"}).status_code == 302
    assert "changed the description of" in Page(owner.get(at("community", "harbour"))).text


def test_roles_are_changed_and_taken_away_by_owners_only(owner, club):
    ida = client_of("ida", "organizer", club)
    pk = Membership.objects.get(user__username="ida").user_id
    assert ida.post(at("member-role", "harbour", pk), {"role": "owner"}).status_code == 403
    owner.post(at("member-role", "harbour", pk), {"role": "viewer"})
    owner.post(at("member-role", "harbour", pk), {"role": "emperor"})
    assert roles(club) == {"olga": "owner", "ida": "viewer"}
    assert ida.get(at("community", "harbour")).status_code == 403
    owner.post(at("member-remove", "harbour", pk))
    assert roles(club) == {"olga": "owner"}
    assert owner.post(at("member-remove", "harbour", pk)).status_code == 404


def test_members_leave_but_the_last_owner_cannot(owner, club, olga):
    vic = client_of("vic", "viewer", club)
    assert "Harbour Club" in Page(vic.get(at("home"))).text
    assert vic.post(at("community-leave", "harbour"))["Location"] == at("home")
    text = "You are the last owner. Make someone else an owner first."
    assert text in Page(owner.get(at("community-leave", "harbour"))).text, "before they press the button"
    refused = owner.post(at("community-leave", "harbour"))
    assert refused.status_code == 409
    assert text in Page(refused).text
    owner.post(at("member-role", "harbour", olga.pk), {"role": "viewer"})
    assert roles(club) == {"olga": "owner"}


def test_leaving_is_offered_only_to_members_who_can_leave(owner, club):
    leave, reason = at("community-leave", "harbour"), "You are the last owner. To leave,"
    page = owner.get(at("members", "harbour")).content.decode()
    assert leave not in page
    assert reason in page
    page = client_of("ida", "organizer", club).get(at("members", "harbour")).content.decode()
    assert leave in page
    assert reason not in page
    set_role("harbour", make_user("bo"), "owner")
    assert leave in owner.get(at("members", "harbour")).content.decode()


@pytest.mark.parametrize("role", ["owner", "organizer", "viewer"])
def test_a_link_gives_its_role_once(owner, club, role):
    made = owner.post(at("member-invitations", "harbour"), {"role": role, "note": "for Bo"})
    token = made.context["link"].rpartition("#")[2]
    bo = client_of("bo")
    assert "Join Harbour Club" in Page(show_invitation(bo, token)).headings[0]
    accept(bo, token)
    assert roles(club) == {"olga": "owner", "bo": role}
    assert accept(client_of("eve"), token).status_code == 410
    assert list(AuditEntry.objects.filter(action="member.accept").values_list("actor_name", flat=True)) == ["bo"]


def test_a_link_never_takes_rights_away(club, olga):
    _, token = invite_member("harbour", role="viewer", actor=olga)
    accept_invitation(token, user=olga)
    assert roles(club) == {"olga": "owner"}
    assert find_invitation(token).accepted_at is None


def test_links_end_with_the_rights_of_their_author(club, olga, django_capture_on_commit_callbacks):
    bo = make_user("bo")
    set_role("harbour", bo, "owner", actor=olga)
    _, token = invite_member("harbour", role="owner", actor=bo)
    with django_capture_on_commit_callbacks(execute=True):
        set_role("harbour", bo, "organizer", actor=olga)
    with pytest.raises(NotOpen) as refusal:
        find_invitation(token)
    assert refusal.value.reason == "void"
    assert Invitation.objects.get().withdrawn_at is not None
    set_role("harbour", bo, "owner", actor=olga)
    with pytest.raises(NotOpen):
        find_invitation(token)


def test_organizers_neither_invite_to_the_community_nor_see_its_links(owner, club, olga):
    invitation, _ = invite_member("harbour", role="viewer", note="Bo, timekeeper", actor=olga)
    ida = client_of("ida", "organizer", club)
    assert ida.post(at("member-invitations", "harbour"), {"role": "owner"}).status_code == 403
    assert ida.post(at("invitation-withdraw", invitation.pk)).status_code == 403
    assert "timekeeper" not in Page(ida.get(at("members", "harbour"))).text
    assert "timekeeper" in Page(owner.get(at("members", "harbour"))).text
    owner.post(at("invitation-withdraw", invitation.pk))
    invitation.refresh_from_db()
    assert invitation.withdrawn_at is not None


def test_only_an_empty_community_is_deleted(owner):
    series = make_series("cup", community="harbour")
    assert owner.post(at("community-delete", "harbour")).status_code == 409
    series.delete()
    assert owner.post(at("community-delete", "harbour")).status_code == 302
    assert not Community.objects.exists()
    assert AuditEntry.objects.get(action="community.delete").subject == "community harbour"


def test_the_players_of_a_community_without_series_are_deleted_with_it(owner, olga):
    series = make_series("cup", community="harbour")
    elsewhere = make_player("ann", community="elsewhere")
    players = [make_player(handle, community="harbour") for handle in ("bo", "bob", "cy", "ann")]
    merge_players(players[0].pk, players[1].pk, reason="same person", actor=olga)
    PlayerAlias.objects.create(player=players[2], handle="Cyril", handle_key="cyril")
    refused = Page(owner.get(at("community-delete", "harbour")))
    assert "This community has series, so it cannot be deleted." in refused.text
    assert owner.post(at("community-delete", "harbour")).status_code == 409
    series.delete()
    page = Page(owner.get(at("community-delete", "harbour")))
    assert "The 3 players, who have no results, will be deleted with it. You cannot undo this." in page.text
    assert owner.post(at("community-delete", "harbour")).status_code == 302
    assert list(Player.objects.all()) == [elsewhere]
    assert set(PlayerKey.objects.values_list("community", flat=True)) == {"elsewhere"}
    assert AuditEntry.objects.get(action="community.delete").before["players"] == 3


def test_outsiders_learn_nothing_of_a_private_community(club):
    Community.objects.filter(pk="harbour").update(visibility="private")
    eve = client_of("eve")
    for name in ("community", "community-settings", "community-delete", "members", "community-leave"):
        here, nowhere = (eve.get(at(name, slug)) for slug in ("harbour", "nowhere"))
        assert here.status_code == nowhere.status_code == 404
    assert eve.post(at("member-invitations", "harbour"), {"role": "owner"}).status_code == 404


def test_quotas_refuse_people_with_a_message_but_do_not_apply_to_commands(settings, owner, club, olga):
    settings.PODIUM_MAX_COMMUNITIES = settings.PODIUM_MAX_SERIES = settings.PODIUM_MAX_CONTESTS = 1
    settings.PODIUM_MAX_MEMBERS = 1
    answer = owner.post(at("community-create"), {"name": "Second", "visibility": "public"})
    assert "You own 1 community, the most that one account can own" in Page(answer).text
    series = make_series("cup", community="harbour")
    make_contest(series, finalized=False)
    answer = owner.post(at("series-create"), SERIES | {"community": "harbour"})
    assert "has 1 series, the most that it can have" in Page(answer).text
    _, token = invite_member("harbour", role="viewer", actor=olga)
    assert "has 1 member, the most" in Page(accept(client_of("bo"), token)).text
    assert roles(club) == {"olga": "owner"}
    set_role("harbour", make_user("kim"), "viewer")
    remove_member("harbour", olga.pk + 999)
    assert len(roles(club)) == 2


@pytest.mark.parametrize(("name", "most"), [("PODIUM_MAX_STAGED_BYTES", 10), ("PODIUM_MAX_UPLOADS_A_DAY", 0)])
def test_uploads_beyond_the_limit_are_refused_with_a_message(settings, owner, club, name, most):
    setattr(settings, name, most)
    draft = make_contest(make_series("cup", community="harbour"), finalized=False)
    answer = upload(owner, draft, "rank,handle\n1,ann\n2,bob\n")
    assert answer.status_code == 409
    assert "files" in answer.context["form"].non_field_errors()[0]


def test_players_beyond_the_limit_are_not_created(settings, owner, club):
    settings.PODIUM_MAX_PLAYERS = 1
    draft = make_contest(make_series("cup", community="harbour"), finalized=False)
    review = upload(owner, draft, "rank,handle\n1,ann\n2,bob\n")
    address = at("review-save", draft.pk, review.context["staged"].token)
    answer = owner.post(address, {"version": review.context["version"]}, follow=True)
    assert "A community can have at most 1 player," in Page(answer).text
    assert not club.players.exists()


def test_a_row_added_by_hand_adds_no_player_beyond_the_limit(settings, owner, club, olga):
    settings.PODIUM_MAX_PLAYERS = 2
    contest = make_contest(make_series("cup", community="harbour"), players=2)
    assert club.players.count() == 2
    said = {"correction": Correction("unofficial"), "reason": "was missing"}
    with pytest.raises(ContestError, match="A community can have at most 2 players"):
        add_standing(contest.pk, handle="cleo", actor=olga, **said)
    assert club.players.count() == 2
    add_standing(contest.pk, handle="cleo", **said)
    assert club.players.count() == 3


def test_the_history_says_which_role(owner, club, olga):
    bo = make_user("bo")
    set_role("harbour", bo, "viewer", actor=olga)
    set_role("harbour", bo, "organizer", actor=olga)
    remove_member("harbour", bo.pk, actor=olga)
    _, token = invite_member("harbour", role="viewer", actor=olga)
    accept_invitation(token, user=bo)
    history = Page(owner.get(at("community", "harbour"))).text
    for said in (
        "olga gave the role “viewer” to bo",
        "olga changed the role of bo: role viewer → organizer",
        "olga removed the role “organizer” from bo",
        f"olga invited someone as “viewer” to {club.name}",
        f"bo accepted an invitation as “viewer” to {club.name}",
    ):
        assert said in history


def test_the_history_has_each_merge_and_split_once_however_many_series_it_concerns(owner, club, olga):
    for slug in ("cup", "league", "blitz"):
        series = make_series(slug, community="harbour")
        make_contest(series, standings=[("ann", 1), ("bob", 2)])
        make_contest(series, standings=[("anne", 1)])
    kept, merged = (club.players.get(handle=handle).pk for handle in ("ann", "anne"))
    merge = merge_players(kept, merged, reason="same badge", actor=olga)
    split_players(merge.pk, reason="two badges", actor=olga)
    merge_players(kept, merged, reason="same badge after all", actor=olga)
    entries = club.audit_entries.filter(action__in=("player.merge", "player.split"))
    assert entries.count() == 3 * (2 + 3), "each player and each series keeps its entry"
    shown = [deed.entry.reason for deed in history_of_community(club, 3)]
    assert shown == ["same badge after all", "two badges", "same badge"]
    history = Page(owner.get(at("community", "harbour"))).text
    assert history.count("olga merged anne into ann") == 2
    assert history.count("olga split anne from ann") == 1
    assert history.count("same badge after all") == 1
