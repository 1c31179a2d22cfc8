"""Attacks on a running site that succeeded before players belonged to communities."""

from __future__ import annotations

import pytest
from django.test import Client

from contests.formats import read_contests
from contests.models import Player, PlayerAlias, Standing
from contests.services.communities import set_role
from contests.services.contests import save_standings
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


def test_a_review_names_nobody_of_another_community(clubs):
    """Attack 1: suggestions for similar handles, and the player of the very same handle."""
    draft = make_contest(clubs.own, finalized=False)
    for handle in ("Night-Owl", "night_owl", "Night-Owls"):
        page = upload(clubs.client, draft, f"rank,handle\n1,{handle}\n2,bob\n").content.decode()
        assert "Greta" not in page
        assert "Moon School" not in page
        assert handle == "Night-Owl" or "Night-Owl<" not in page.replace("Night-Owls<", "")


def test_the_merge_page_names_nobody_of_another_community(clubs):
    """Attack 1: choosing whom to merge with."""
    make_contest(clubs.own, standings=[("night_owl", 1), ("bob", 2)])
    page = f"/organize/people/{Player.objects.get(handle='night_owl').pk}/merge/"
    assert "Night-Owl" not in clubs.client.get(page).content.decode()
    known, nobody = (clubs.client.get(page, {"with": handle}) for handle in ("Night-Owl", "Night-Awl"))
    assert known.status_code == nobody.status_code == 422
    assert "Greta" not in known.content.decode()


def test_no_id_can_be_tried_in_a_review(clubs):
    """Attack 1: `who_0=player-481` told the handle of the player with that id."""
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
    """Attack 1: the attacker's public contest names someone known from a private series alone."""
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
def test_nobody_is_locked_out_by_the_results_of_others(clubs, finalized):
    """Attack 2: naming all handles of a foreign series made the pages of their rightful organizer say 404."""
    make_contest(clubs.own, standings=[("Night-Owl", 1), ("moth", 2)], finalized=finalized)
    rightful = Client()
    rightful.force_login(clubs.ida)
    for page in ("", "edit/", "rename/", "merge/"):
        assert rightful.get(f"/organize/people/{clubs.owl.pk}/{page}").status_code == 200, page
        assert clubs.client.get(f"/organize/people/{clubs.owl.pk}/{page}").status_code == 404, page


def test_a_draft_of_someone_with_one_series_of_the_community_locks_nobody_out(clubs):
    """Attack 2, from within: who organizes one series of a community takes no player from the other series."""
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
