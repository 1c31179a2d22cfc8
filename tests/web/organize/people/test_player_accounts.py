"""Accounts of players: a link that works once, one account for each player and community, and how they end."""

from __future__ import annotations

import re

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from contests.errors import ContestError
from contests.models import AuditEntry, Invitation, Membership, PlayerClaim, Series
from contests.queries.visibility import visible_series
from contests.services.communities import remove_member, set_role
from contests.services.merging import merge_players, split_players
from contests.services.organizers import invite_member, invite_player
from tests.factories import make_community, make_contest, make_player, make_series, make_user
from tests.invitations import accept, show_invitation
from tests.pages import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client):
    user = make_user("olga")
    make_community("main", owner=user)
    client.force_login(user)
    return user


@pytest.fixture
def ann(owner):
    make_contest(make_series("cup"), standings=[("ann", 1), ("bo", 2)])
    return make_player("ann")


def link_to(client, player) -> str:
    page = client.post(reverse("organize:person-account", args=[player.pk]))
    return re.search(r"#([\w-]{20,})", page.content.decode())[1]


def test_a_link_links_one_account_once_and_gives_no_rights(client, ann, owner):
    secret = link_to(client, ann)
    assert secret not in client.get(reverse("organize:person", args=[ann.pk])).content.decode()
    anna = make_user("anna")
    client.force_login(anna)
    shown = show_invitation(client, secret)
    assert "Are you ann?" in Page(shown).text
    assert "olga invites you to link your account to this player of Main." in Page(shown).text
    done = accept(client, secret, follow=True)
    assert "Your account is now linked to ann." in Page(done).text
    claim = PlayerClaim.objects.get()
    assert (claim.player, claim.user, claim.community_id) == (ann, anna, "main")
    assert not Membership.objects.filter(user=anna).exists()
    assert not Series.objects.organized_by(anna).exists()
    assert client.get(reverse("organize:person", args=[ann.pk])).status_code == 403
    client.force_login(make_user("eve"))
    assert show_invitation(client, secret).status_code == 410
    deeds = AuditEntry.objects.filter(player=ann).order_by("id").values_list("action", "actor__username")
    assert list(deeds) == [("claim.invite", "olga"), ("claim.accept", "anna")]
    for page in (ann.get_absolute_url(), reverse("leaderboard", args=[Series.objects.get()])):
        assert "anna" not in Page(client.get(page)).text, "no page tells who has an account"


def test_someone_without_an_account_creates_one_and_is_the_player(client, ann):
    secret = link_to(client, ann)
    client.logout()
    assert "Create an account" in Page(show_invitation(client, secret)).text
    fields = {"username": "anna", "password1": "correct-horse-battery", "password2": "correct-horse-battery"}
    assert accept(client, secret, fields).status_code == 302
    claim = PlayerClaim.objects.get()
    assert (claim.player, claim.user.username) == (ann, "anna")
    assert not Membership.objects.filter(user=claim.user).exists()


def test_a_second_link_ends_the_first_and_a_linked_player_gets_none(client, ann):
    first, second = link_to(client, ann), link_to(client, ann)
    assert show_invitation(client, first).status_code == 410
    accept(client, second)
    refused = client.post(reverse("organize:person-account", args=[ann.pk]), follow=True)
    assert "“ann” already has an account." in Page(refused).text
    assert Invitation.objects.filter(accepted_at=None, withdrawn_at=None).count() == 0


def test_an_account_is_one_player_in_each_community(client, ann, owner):
    accept(client, link_to(client, ann))
    refused = accept(client, link_to(client, make_player("bo")))
    assert refused.status_code == 409
    assert "You are already “ann” in this community." in Page(refused).text
    make_community("club", owner=owner)
    accept(client, link_to(client, make_player("zoe", community="club")))
    assert set(owner.claims.values_list("player__handle", flat=True)) == {"ann", "zoe"}


def test_a_link_gives_a_player_and_never_a_role(owner, ann):
    invitation, _ = invite_player(ann.pk, actor=owner)
    for wrong in ({"role": "owner"}, {"series": Series.objects.get()}, {"player": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Invitation.objects.filter(pk=invitation.pk).update(**wrong)
    member, _ = invite_member("main", role="owner", actor=owner)
    with pytest.raises(IntegrityError), transaction.atomic():
        Invitation.objects.filter(pk=member.pk).update(player=ann)


def test_a_link_ends_with_the_rights_of_its_author(client, ann, django_capture_on_commit_callbacks):
    clerk = make_user("clerk")
    set_role("main", clerk, "organizer")
    client.force_login(clerk)
    secret = link_to(client, ann)
    assert show_invitation(client, secret).status_code == 200
    with django_capture_on_commit_callbacks(execute=True):
        remove_member("main", clerk.pk)
    assert show_invitation(client, secret).status_code == 410
    set_role("main", clerk, "organizer")
    assert show_invitation(client, secret).status_code == 410


@pytest.mark.parametrize("name", ["organize:person-account", "organize:person-unlink"])
def test_people_who_organize_only_a_series_manage_no_accounts(client, ann, name):
    series = Series.objects.get()
    helper = make_user("helper")
    series.organizers.add(helper)
    PlayerClaim.objects.create(community_id="main", player=ann, user=make_user("anna"))
    client.force_login(helper)
    page = client.get(reverse("organize:person", args=[ann.pk]))
    assert page.status_code == 200
    assert "Linked to anna" not in Page(page).text
    assert client.post(reverse(name, args=[ann.pk])).status_code == 403
    assert PlayerClaim.objects.count() == 1


def test_organizers_unlink_an_account(client, ann, owner):
    PlayerClaim.objects.create(community_id="main", player=ann, user=make_user("anna"))
    assert "Linked to anna" in Page(client.get(reverse("organize:person", args=[ann.pk]))).text
    address = reverse("organize:person-unlink", args=[ann.pk])
    assert "Unlink the account of ann?" in Page(client.get(address)).text
    assert "“ann” has no account." in Page(client.post(address, follow=True)).text
    entry = AuditEntry.objects.get(action="claim.unlink")
    assert (entry.actor, entry.before) == (owner, {"user": "anna"})
    assert not PlayerClaim.objects.exists()


def test_a_merge_moves_the_account_and_refuses_two(ann):
    make_contest(Series.objects.get(), standings=[("anna-b", 1)])
    other, bo, anna = make_player("anna-b"), make_player("bo"), make_user("anna")
    claim = PlayerClaim.objects.create(community_id="main", player=other, user=anna)
    open_link, _ = invite_player(ann.pk)
    merge = merge_players(ann.pk, other.pk, reason="one person")
    claim.refresh_from_db()
    open_link.refresh_from_db()
    assert (claim.player, open_link.withdrawn_at is not None) == (ann, True)
    split_players(merge.pk, reason="two people")
    claim.refresh_from_db()
    assert claim.player == ann, "the account stays with the player who was kept"
    make_contest(Series.objects.get(), standings=[("bo-b", 1)])
    PlayerClaim.objects.create(community_id="main", player=bo, user=make_user("bob"))
    twin = make_player("bo-b")
    PlayerClaim.objects.create(community_id="main", player=twin, user=make_user("bobby"))
    with pytest.raises(ContestError, match="both have an account"):
        merge_players(bo.pk, twin.pk, reason="one person")


def test_an_account_in_a_private_community_shows_nothing_of_it(client, owner):
    make_community("club", owner=owner, visibility="private")
    make_contest(make_series("secret", community="club", is_public=False), standings=[("zoe", 1), ("yan", 2)])
    zoe, player = make_user("zoe"), make_player("zoe", community="club")
    PlayerClaim.objects.create(community_id="club", player=player, user=zoe)
    assert not visible_series(zoe).exists()
    client.force_login(zoe)
    assert client.get(player.get_absolute_url()).status_code == 404
