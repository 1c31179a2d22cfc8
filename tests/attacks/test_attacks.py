"""Attacks on a running site that succeeded before players belonged to communities."""

from __future__ import annotations

import logging

import pytest
from django.conf import settings
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.management import call_command
from django.test import Client
from django.utils.module_loading import import_string

from contests.formats import read_contests
from contests.models import AuditEntry, Player, PlayerAlias, Standing
from contests.services.communities import remove_member, set_role
from contests.services.contests import delete_contest, save_standings
from contests.services.organizers import invite, invite_member
from contests.services.renaming import PlayerDescription, add_alias, describe_player, rename_player
from tests.attacks.crawling import answer_of
from tests.factories import make_community, make_contest, make_series, make_user, rate
from tests.web.organize.forms import upload

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

FILE = "rank,handle,name,country\n1,Night-Owl,Greta Gray,NO\n2,other-owl,,\n"


class Clubs:
    """A private club with a private series, and an attacker who organizes another one."""

    def __init__(self) -> None:
        make_community("night", visibility="private", name="Night Club")
        make_community("eves", name="Eve's Club")
        self.ida, self.eve = make_user("ida"), make_user("eve")
        set_role("night", self.ida, "owner")
        set_role("eves", self.eve, "owner")
        self.secret = make_series("secret", community="night", is_public=False)
        make_contest(self.secret, standings=[("Night-Owl", 1), ("moth", 2)])
        self.owl = Player.objects.get(handle="Night-Owl")
        describe_player(self.owl.pk, description=PlayerDescription("Greta Gray", "NO", "Moon School"))
        self.own = make_series("own", community="eves")
        self.client = Client()
        self.client.force_login(self.eve)


@pytest.fixture
def clubs() -> Clubs:
    return Clubs()


def parsed(text):
    return read_contests(text.encode(), filename="standings.csv")[0]


def test_a_corrected_draft_leaves_no_player_whom_others_see(clubs):
    """Attack 1: a saved row that the next version of the draft lacks."""
    draft = make_contest(clubs.secret, finalized=False)
    save_standings(draft.pk, parsed=parsed("rank,handle\n1,left-over\n2,moth\n"))
    save_standings(draft.pk, parsed=parsed("rank,handle\n1,moth\n"))
    assert Player.objects.filter(handle="left-over").exists()
    for client in (Client(), clubs.client):
        for path in ("/c/night/players/{}/", "/c/night/cards/{}/", "/search/?q={}", "/suggest/?q={}", "/players/?q={}"):
            said = []
            for handle in ("left-over", "left-ovar"):
                status, _, content = answer_of(client.get(path.format(handle)))
                said.append((status, content.replace(handle.encode(), b"")))
            assert said[0] == said[1], path


def test_a_review_names_no_one_of_another_community(clubs):
    """Attack 1: suggestions for similar handles, and the player of the very same handle."""
    draft = make_contest(clubs.own, finalized=False)
    for handle in ("Night-Owl", "night_owl", "Night-Owls"):
        page = upload(clubs.client, draft, f"rank,handle\n1,{handle}\n2,bob\n").content.decode()
        assert "Greta" not in page
        assert "Moon School" not in page
        assert handle == "Night-Owl" or "Night-Owl<" not in page.replace("Night-Owls<", "")


def test_the_merge_page_names_no_one_of_another_community(clubs):
    """Attack 1: choosing whom to merge with."""
    make_contest(clubs.own, standings=[("night_owl", 1), ("bob", 2)])
    page = f"/organize/people/{Player.objects.get(handle='night_owl').pk}/merge/"
    assert "Night-Owl" not in clubs.client.get(page).content.decode()
    known, nobody = (clubs.client.get(page, {"with": handle}) for handle in ("Night-Owl", "Night-Awl"))
    assert known.status_code == nobody.status_code == 422
    assert "Greta" not in known.content.decode()


def test_ids_cannot_be_tried_out_in_a_review(clubs):
    """Attack 1: `who_0=player-481` revealed the handle of the player with that id."""
    draft = make_contest(clubs.own, finalized=False)
    upload(clubs.client, draft, "rank,handle\n1,newcomer\n2,bob\n")
    review = draft.series.uploads.get(draft=draft)
    address = f"/organize/contests/{draft.pk}/review/{review.token}/"
    for pk in Player.objects.values_list("pk", flat=True):
        said = clubs.client.post(
            f"{address}people/", {"handle_0": "newcomer", "who_0": f"player-{pk}", "alias_0": "on"}, follow=True
        )
        assert "Night-Owl" not in said.content.decode()
        assert "Greta" not in said.content.decode()
    assert not PlayerAlias.objects.exists()


def test_a_public_result_of_the_same_handle_publishes_nothing(clubs):
    """Attack 1: the attacker's public contest names someone known only from a private series."""
    contest = make_contest(clubs.own, standings=[("Night-Owl", 1), ("bob", 2)])
    rate(clubs.own)
    assert Standing.objects.get(contest=contest, place=1).player_id != clubs.owl.pk
    for client in (Client(), clubs.client):
        for path in (
            "/c/eves/players/night-owl/", "/c/eves/players/Night-Owl/", f"/contests/{contest.pk}/", "/search/?q=night",
            "/api/v1/communities/eves/players/Night-Owl/", "/suggest/?q=night", "/c/eves/series/own/leaderboard/",
        ):  # fmt: skip
            page = client.get(path, follow=True).content.decode()
            assert "Greta" not in page, path
            assert "Moon School" not in page, path
            assert "/c/night/" not in page, path


@pytest.mark.parametrize("finalized", [False, True], ids=["draft", "finalized"])
def test_no_one_is_locked_out_by_the_results_of_others(clubs, finalized):
    """Attack 2: naming all handles of another organizer's series made that organizer's own pages answer 404."""
    make_contest(clubs.own, standings=[("Night-Owl", 1), ("moth", 2)], finalized=finalized)
    rightful = Client()
    rightful.force_login(clubs.ida)
    for page in ("", "edit/", "rename/", "merge/"):
        assert rightful.get(f"/organize/people/{clubs.owl.pk}/{page}").status_code == 200, page
        assert clubs.client.get(f"/organize/people/{clubs.owl.pk}/{page}").status_code == 404, page


def test_a_draft_of_someone_with_one_series_of_the_community_locks_no_one_out(clubs):
    """Attack 2, from within: someone who organizes one series of a community cannot take players from the other
    series."""
    inner = make_series("inner", community="night", organizer=clubs.eve)
    make_contest(inner, standings=[("Night-Owl", 1), ("moth", 2)], finalized=False)
    rightful = Client()
    rightful.force_login(clubs.ida)
    assert rightful.get(f"/organize/people/{clubs.owl.pk}/rename/").status_code == 200
    assert clubs.client.post(f"/organize/people/{clubs.owl.pk}/rename/", {"handle": "mine"}).status_code == 403
    assert Player.objects.get(pk=clubs.owl.pk).handle == "Night-Owl"


def test_handles_of_one_community_capture_nothing_of_another(clubs):
    """Attack 3: an alias or a new handle in a private series caught the uploads of everyone."""
    squatter = Player.objects.get(handle="moth")
    add_alias(squatter.pk, handle="famous")
    rename_player(squatter.pk, handle="renowned")
    contest = make_contest(clubs.own, finalized=False)
    save_standings(contest.pk, parsed=parsed("rank,handle\n1,famous\n2,renowned\n3,moth\n"))
    found = Player.objects.filter(standings__contest=contest)
    assert set(found.values_list("handle", "community")) == {(name, "eves") for name in ("famous", "renowned", "moth")}
    # Nor can the attacker learn which handles are taken elsewhere.
    free = Player.objects.get(community="eves", handle="famous")
    assert rename_player(free.pk, handle="Night-Owl").handle == "Night-Owl"


def test_guessing_passwords_neither_gets_in_nor_costs_the_site_its_time(monkeypatch):
    """Attack 4: sixteen wrong logins at once kept both cores busy with hashing, and any number was allowed."""
    make_user("ida")
    hashed: list[str] = []
    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(MD5PasswordHasher, "encode", lambda *said: hashed.append(said[1]) or encode(*said))
    statuses = [
        Client().post("/accounts/login/", {"login": "ida", "password": f"guess-{number}"}).status_code
        for number in range(16)
    ]
    assert statuses == [200] * 10 + [429] * 6
    assert len(hashed) == 10, "a refused guess is not hashed"
    right = Client().post("/accounts/login/", {"login": "ida", "password": "correct-horse-battery"})
    assert right.status_code == 429, "nor does the refusal tell whether the guess was right"


@pytest.mark.parametrize("becomes", ["deactivated", "deleted", "a former owner"])
def test_an_invitation_of_someone_who_has_lost_the_right_lets_no_one_in(
    clubs, becomes, django_capture_on_commit_callbacks
):
    """Attack 4: links that a deactivated account had made still gave rights."""
    set_role("night", make_user("mo"), "owner")
    links = [
        invite_member("night", role="owner", actor=clubs.ida)[1],
        invite(clubs.secret.pk, actor=clubs.ida)[1],
    ]
    assert [Client().post("/organize/invitations/", {"link": f"#{token}"}).status_code for token in links] == [302, 302]
    with django_capture_on_commit_callbacks(execute=True):
        if becomes == "deactivated":
            clubs.ida.is_active = False
            clubs.ida.save()
        elif becomes == "deleted":
            clubs.ida.delete()
        else:
            remove_member("night", clubs.ida.pk)
    for token in links:
        answer = clubs.client.post("/organize/invitations/", {"link": f"#{token}"}, follow=True)
        assert answer.status_code == 410
        assert "Night Club" not in answer.content.decode()
        clubs.client.post(f"/organize/invitations/{token}/")
    assert not clubs.eve.memberships.filter(community="night").exists()
    assert not clubs.secret.organizers.exists()


def test_people_who_read_the_logs_find_no_link_that_works(clubs):
    """Attack 4: the access log had the whole tokens of invitations."""
    _, token = invite_member("eves", role="owner", actor=clubs.eve)
    answer = Client().post("/organize/invitations/", {"link": f"http://testserver/organize/invitations/#{token}"})
    requested = ["/organize/invitations/", answer["Location"]]
    assert not [address for address in requested if token in address], "nor does a proxy see it"
    for address in (f"/organize/invitations/{token}/", f"/accounts/login/?next=%2Forganize%2Finvitations%2F{token}%2F"):
        record = logging.makeLogRecord({"msg": "%s", "args": (f'"GET {address} HTTP/1.1" 200',)})
        for formatter in settings.LOGGING["formatters"].values():
            written = import_string(formatter["()"])(formatter["format"], style=formatter["style"]).format(record)
            assert "invitations" in written
            assert token not in written


def test_deleting_an_account_leaves_its_name_in_the_history(clubs):
    """Attack 4: the entries of a deleted account became those of "a command"."""
    delete_contest(clubs.secret.contests.get().pk, reason="to hide it", actor=clubs.ida)
    entry = AuditEntry.objects.get(action="contest.delete")
    before = (entry.actor_name, entry.digest)
    clubs.ida.delete()
    entry.refresh_from_db()
    assert (entry.actor_name, entry.digest) == before
    assert entry.who == "ida (account deleted)"
    call_command("verify_audit")
