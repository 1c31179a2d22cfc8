"""An organizer whose session has expired gets the typed input back, and no one else does."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from contests.models import Contest
from contests.services.communities import set_role
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_user
from tests.pages import Page
from tests.web.organize.everything import everything_stored
from tests.web.organize.forms import CONTEST, SERIES, file, upload
from web.shared import unsent

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PASSWORD = "correct-horse-battery"
SAID = "You were logged out, and nothing has been saved yet."
HERE = {"origin": "http://testserver"}


def expire(client):
    """End the session on the server, as happens after two weeks or after a new password."""
    client.session.flush()
    client.cookies.pop("sessionid", None)


def sign_in(client, answer, name="ida"):
    """Follow the redirect to the login, sign in, and follow the redirects after it."""
    assert answer.status_code == 302, answer.content.decode()
    assert answer["Location"].startswith(reverse("login"))
    page = client.get(answer["Location"])
    said = {"login": name, "password": PASSWORD, "next": page.context["redirect_field_value"]}
    return client.post(reverse("login"), said, follow=True)


def send_expired(client, page, fields, action="", name="ida"):
    """Open a page with a form, let the session end, send the form, and sign in again."""
    assert client.get(page).status_code == 200
    expire(client)
    before = everything_stored()
    answer = client.post(action or page, fields, headers={**HERE, "referer": f"http://testserver{page}"})
    back = sign_in(client, answer, name)
    assert everything_stored() == before, "nothing is carried out"
    return back


def test_a_new_series_keeps_what_was_typed(organizer, club):
    page = reverse("organize:series-create")
    typed = SERIES | {"name": "Night Relay", "description": "by <b>boat</b>", "slug": "x9"}
    back = send_expired(organizer, page, typed)
    assert back.request["PATH_INFO"] == page
    assert back.request["REQUEST_METHOD"] == "GET"
    text = back.content.decode()
    assert SAID in Page(back).text
    assert 'value="Night Relay"' in text
    assert "by &lt;b&gt;boat&lt;/b&gt;" in text
    assert 'value="x9"' in text


def test_a_new_contest_keeps_what_was_typed_and_is_saved_when_it_is_sent(organizer, series):
    page = reverse("organize:contest-create", args=[series])
    back = send_expired(organizer, page, CONTEST | {"name": "Fog Round", "weight": "0.5"})
    assert 'value="Fog Round"' in back.content.decode()
    assert 'value="0.5"' in back.content.decode()
    organizer.post(page, CONTEST | {"name": "Fog Round", "weight": "0.5"})
    assert Contest.objects.get(name="Fog Round").weight == 0.5
    again = organizer.get(page)
    assert SAID not in Page(again).text, "what was sent is forgotten"
    assert 'value="Fog Round"' not in again.content.decode()


def test_a_changed_contest_is_not_overwritten_by_what_was_typed_before(organizer, series):
    draft = make_contest(series, finalized=False)
    page = reverse("organize:contest-edit", args=[draft.pk])
    back = send_expired(organizer, page, CONTEST | {"name": "Mine", "version": "0"})
    Contest.objects.filter(pk=draft.pk).update(name="Theirs", version=1)
    form = back.context["form"]
    assert form["name"].value() == "Mine"
    refused = organizer.post(page, CONTEST | {"name": "Mine", "version": form["version"].value()})
    assert refused.status_code == 422
    draft.refresh_from_db()
    assert draft.name == "Theirs"


def test_the_scheme_keeps_what_was_typed(organizer, rated):
    page = reverse("organize:scheme", args=[rated])
    typed = {"system": "glicko2", "mapping": "offset", "center": "1234", "reason": "a cold spring", "version": "1"}
    back = send_expired(organizer, page, typed)
    assert SAID in Page(back).text
    assert 'value="a cold spring"' in back.content.decode()
    assert back.context["scheme_form"].chosen_system == "glicko2"


def test_a_correction_keeps_what_was_typed(organizer, contest):
    page = reverse("organize:correct", args=[contest.standings.first().pk])
    back = send_expired(organizer, page, {"status": "disqualified", "place": "1", "reason": "two accounts"})
    assert "two accounts" in back.content.decode()
    assert back.context["form"]["status"].value() == "disqualified"


def test_rows_that_were_ticked_are_ticked_again(organizer, contest):
    row = contest.standings.order_by("pk")[1]
    page, action = (reverse(f"organize:{name}", args=[contest.pk]) for name in ("contest", "correct-selected"))
    typed = {"rows": [row.pk], "status": "unofficial", "reason": "out of age"}
    back = send_expired(organizer, page, typed, action)
    assert back.request["PATH_INFO"] == page
    text = back.content.decode()
    assert f'name="rows" value="{row.pk}" checked' in text
    assert text.count(" checked") == 1
    assert '<option value="unofficial" selected>' in text
    assert 'value="out of age"' in text


def test_decisions_of_a_review_are_shown_again_and_not_applied(organizer, series):
    make_contest(series, standings=[("alexander_k", 1), ("zoe", 2)])
    draft = make_contest(series, finalized=False)
    review = upload(organizer, draft, "rank,handle\n1,alexanderk\n2,eve\n3,new one\n")
    args = [draft.pk, review.context["staged"].token]
    page, action = (reverse(f"organize:{name}", args=args) for name in ("review", "review-decide-people"))
    known = next(one for person in review.context["review"].unmatched for one in person.suggestions)
    typed = {
        "handle_0": "alexanderk", "who_0": f"player-{known.player_id}", "alias_0": "on", "handle_1": "eve",
        "who_1": "typed", "typed_1": "zoe", "handle_2": "new one", "who_2": "new",
    }  # fmt: skip
    back = send_expired(organizer, page, typed, action)
    text = back.content.decode()
    assert SAID in Page(back).text
    assert f'value="player-{known.player_id}" checked' in text
    assert 'value="zoe"' in text
    assert not any(person.is_decided for person in back.context["review"].unmatched)


def test_a_pasted_table_is_kept_and_a_file_is_to_be_chosen_again(organizer, series):
    page = reverse("organize:upload", args=[make_contest(series, finalized=False).pk])
    back = send_expired(organizer, page, {"text": "rank,handle\n1,ann\n"})
    assert "1,ann" in back.content.decode()
    back = send_expired(organizer, page, {"file": file("rank,handle\n1,ann\n")})
    assert "Choose the file again." in Page(back).text


def test_the_forms_of_a_community_keep_what_was_typed(organizer, ida, club, series):
    set_role(club.pk, ida, "owner")
    create, settings, tiers, members, invite = (
        reverse(f"organize:{name}", args=args)
        for name, args in (
            ("community-create", []), ("community-settings", [club.pk]), ("community-tiers", [club.pk]),
            ("members", [club.pk]), ("member-invitations", [club.pk]),
        )
    )  # fmt: skip
    choose_scheme(series.pk)
    described = {"name": "Tide Club", "description": "by <b>boat</b>", "website": "tide", "visibility": "private"}
    for page, action, typed in (
        (create, "", described),
        (settings, "", described | {"accent": "#1a7f37", "licence": "CC0-1.0"}),
        (tiers, "", {"series": str(series.pk)}),
        (members, invite, {"role": "viewer", "note": "Bo, timekeeper"}),
    ):
        back = send_expired(organizer, page, typed, action)
        assert back.request["PATH_INFO"] == page
        assert SAID in Page(back).text
        form = back.context["form"]
        assert {name: form[name].value() for name in typed} == typed, page
        assert "<b>boat" not in back.content.decode()


def test_the_menu_of_the_member_shows_the_role_that_was_chosen(organizer, ida, club):
    """The menus of other members show the roles that they have."""
    set_role(club.pk, ida, "owner")
    bo, cy = make_user("bo"), make_user("cy")
    for user in (bo, cy):
        set_role(club.pk, user, "organizer")
    page, action = reverse("organize:members", args=[club.pk]), reverse("organize:member-role", args=[club.pk, bo.pk])
    back = send_expired(organizer, page, {"role": "viewer"}, action)
    assert SAID in Page(back).text
    assert chosen_roles(back)[:3] == ["viewer", "organizer", "owner"], "bo, cy and ida"
    organizer.post(action, {"role": "viewer"})
    set_role(club.pk, bo, "owner")
    assert chosen_roles(organizer.get(page))[:3] == ["owner", "organizer", "owner"], "the form is forgotten once sent"
    back = send_expired(organizer, page, {"role": "<b>emperor"}, action)
    assert chosen_roles(back)[:3] == ["owner", "organizer", "owner"]
    assert "emperor" not in back.content.decode()


def chosen_roles(page):
    """Return what is selected in each menu of the members page."""
    return re.findall('<option value="([a-z]+)" selected>', page.content.decode())


def test_input_that_is_too_large_is_not_kept_and_the_page_says_so(organizer, series):
    page = reverse("organize:contest-create", args=[series])
    assert organizer.get(page).status_code == 200
    expire(organizer)
    form = "application/x-www-form-urlencoded"
    answer = organizer.post(page, f"name={'x' * (unsent.LARGEST + 1)}", form, headers=HERE)
    back = sign_in(organizer, answer)
    assert "too long to keep" in Page(back).text
    assert "xxxx" not in back.content.decode()


# People and sites that must not see it


def test_another_account_that_signs_in_sees_nothing_of_it(organizer, series):
    series.organizers.add(make_user("eve"))
    page = reverse("organize:contest-create", args=[series])
    back = send_expired(organizer, page, CONTEST | {"name": "Told in confidence"}, name="eve")
    assert back.status_code == 200
    assert "Told in confidence" not in back.content.decode()
    assert SAID not in back.content.decode()


def test_another_browser_of_the_same_account_sees_nothing_of_it(organizer, ida, series):
    page = reverse("organize:contest-create", args=[series])
    send_expired(organizer, page, CONTEST | {"name": "Told in confidence"})
    other = Client()
    other.force_login(ida)
    assert "Told in confidence" not in other.get(page).content.decode()
    other.cookies[unsent.UNSENT_COOKIE] = "guessed"
    assert "Told in confidence" not in other.get(page).content.decode()


def test_a_form_of_another_site_plants_nothing_in_the_browser(client, ida, series):
    """A page of another site sends a form: the browser sends no cookies with it."""
    page = reverse("organize:contest-create", args=[series])
    back = sign_in(client, client.post(page, CONTEST | {"name": "Planted"}))
    assert "Planted" not in back.content.decode()


def test_the_right_to_the_page_is_checked_again(organizer, ida, series):
    page = reverse("organize:contest-create", args=[series])
    assert organizer.get(page).status_code == 200
    expire(organizer)
    answer = organizer.post(page, CONTEST | {"name": "Fog Round"}, headers=HERE)
    series.organizers.remove(ida)
    back = sign_in(organizer, answer)
    assert back.status_code == 403
    assert "Fog Round" not in back.content.decode()


def test_addresses_of_other_sites_are_not_returned_to(organizer, series):
    page = reverse("organize:contest-create", args=[series])
    organizer.get(page)
    expire(organizer)
    for referer in ("http://evil.example/organize/", "http://testserver.evil.example/organize/", "//a.example", "x["):
        answer = organizer.post(page, CONTEST, headers={"referer": referer})
        assert answer["Location"] == f"{reverse('login')}?next={page}"


def test_passwords_are_never_kept(organizer, monkeypatch):
    kept, real = [], cache.set
    monkeypatch.setattr(cache, "set", lambda key, value, *rest: kept.append(value) or real(key, value, *rest))
    page = reverse("organize:series-create")
    organizer.get(page)
    expire(organizer)
    organizer.post(page, SERIES | {"password": "hunter-2", "old_password": "hunter-2"}, headers=HERE)
    (said,) = [value for value in kept if isinstance(value, dict) and "fields" in value]
    assert "Harbour" in said["fields"]
    assert "hunter" not in said["fields"]


def test_a_limited_number_of_forms_of_one_address_is_kept(organizer, series):
    page = reverse("organize:contest-create", args=[series])
    organizer.get(page)
    expire(organizer)
    kept = [unsent.UNSENT_COOKIE in organizer.post(page, CONTEST, headers=HERE).cookies for _ in range(30)]
    assert kept == [True] * 20 + [False] * 10


# A token of another session


@pytest.fixture
def strict(ida):
    """A browser whose forms have to have the token of the session."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(ida)
    return client


def test_a_form_with_the_token_of_another_session_comes_back_as_it_was_typed(strict, series):
    page = reverse("organize:contest-create", args=[series])
    strict.get(page)
    typed = CONTEST | {"name": "Fog Round", "csrfmiddlewaretoken": "x" * 64}
    answer = strict.post(page, typed, headers=HERE, follow=True)
    assert answer.request["REQUEST_METHOD"] == "GET"
    assert 'value="Fog Round"' in answer.content.decode()
    assert not Contest.objects.filter(name="Fog Round").exists()


@pytest.mark.parametrize("headers", [{}, {"origin": "http://evil.example"}, {"origin": "null"}])
def test_a_form_of_another_site_is_refused_and_shown_nowhere(strict, series, headers):
    page = reverse("organize:contest-create", args=[series])
    strict.get(page)
    answer = strict.post(page, CONTEST | {"name": "Planted"}, headers=headers)
    assert answer.status_code == 403
    assert "Planted" not in strict.get(page).content.decode()


def test_a_deactivated_account_causes_no_error(organizer, ida, series):
    page = reverse("organize:contest-create", args=[series])
    organizer.get(page)
    get_user_model().objects.filter(pk=ida.pk).update(is_active=False)
    answer = organizer.post(page, CONTEST, headers=HERE)
    assert answer["Location"].startswith(reverse("login"))
