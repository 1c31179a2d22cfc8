"""The page of a series' organizers, and the one that an invitation leads to."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contests.models import Invitation, Membership, Role
from contests.services.organizers import add_organizer, invite
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_series, make_user
from tests.invitations import accept, show_invitation
from tests.pages import Page

pytestmark = pytest.mark.django_db

OPEN, ACCEPT = "/organize/invitations/", "/organize/invitations/accept/"
ACCOUNT = {"username": "bo", "password1": "quay-and-harbour-7", "password2": "quay-and-harbour-7"}


@pytest.fixture
def address(series):
    return reverse("organize:organizers", args=[series])


@pytest.fixture
def link(series, ida):
    return invite(series.pk, note="for Bo", actor=ida)[1]


def names(series):
    return sorted(series.organizers.values_list("username", flat=True))


def test_an_organizer_is_added_by_user_name_and_removed_again(organizer, series, address):
    bo = make_user("bo")
    page = organizer.post(address, {"username": "bo"}, follow=True)
    assert "bo is now an organizer of Harbour Cup." in Page(page).text
    assert names(series) == ["bo", "ida"]
    remove = reverse("organize:organizer-remove", args=[series, bo.pk])
    assert "Remove bo from Harbour Cup?" in Page(organizer.get(remove)).headings
    assert names(series) == ["bo", "ida"], "looking removes nobody"
    organizer.post(remove)
    assert names(series) == ["ida"]
    assert organizer.post(remove).status_code == 404
    history = Page(organizer.get(reverse("organize:series", args=[series]))).text
    assert "ida added an organizer to" in history
    assert "ida removed an organizer from" in history


@pytest.mark.parametrize("name", ["nobody", "", "a\0b", "x" * 10_000, "<b>bo</b>"])
def test_an_unknown_user_name_is_refused_at_its_field(organizer, series, address, name):
    answer = organizer.post(address, {"username": name})
    assert answer.status_code == 422
    assert 'class="errorlist"' in answer.content.decode()
    assert "<b>bo" not in answer.content.decode()
    assert names(series) == ["ida"]


def test_the_last_organizer_cannot_be_removed(organizer, series, ida):
    remove = reverse("organize:organizer-remove", args=[series, ida.pk])
    page = Page(organizer.get(remove))
    assert page.headings[0] == "Leave Harbour Cup?"
    assert "You are the last organizer of “Harbour Cup”. Add someone else first, or wait" in page.text
    assert page.links["Back"] == reverse("organize:organizers", args=[series])
    answer = organizer.post(remove)
    assert answer.status_code == 409
    assert "You are the last organizer" in Page(answer).text
    assert names(series) == ["ida"]


def test_leaving_is_offered_only_to_organizers_who_can_leave(organizer, series, address, ida):
    remove = reverse("organize:organizer-remove", args=[series, ida.pk])
    page = organizer.get(address).content.decode()
    assert remove not in page
    assert "You are the last organizer. To leave, add someone else first, or wait" in page
    add_organizer(series.pk, make_user("bo").username)
    page = organizer.get(address).content.decode()
    assert remove in page
    assert "last organizer" not in page


def test_leaving_a_series_shows_a_warning_and_then_hides_it(organizer, series, ida):
    add_organizer(series.pk, make_user("bo").username)
    remove = reverse("organize:organizer-remove", args=[series, ida.pk])
    assert "You will no longer be able to change this series" in Page(organizer.get(remove)).text
    role = Membership.objects.create(community=series.community, user=ida, role=Role.ORGANIZER)
    assert "You can still change this series afterwards" in Page(organizer.get(remove)).text
    role.delete()
    assert organizer.post(remove)["Location"] == reverse("organize:home")
    assert organizer.get(reverse("organize:series", args=[series])).status_code == 403


def test_the_link_is_shown_once_and_afterwards_only_as_an_open_invitation(organizer, series, address):
    answer = organizer.post(reverse("organize:invitations", args=[series]), {"note": "Bo, timekeeper"})
    page = answer.content.decode()
    address_part, token = answer.context["link"].split("#")
    assert page.count(token) == 1
    assert address_part == "http://testserver/organize/invitations/", "the secret is in no address"
    later = organizer.get(address).content.decode()
    assert token not in later
    assert "Bo, timekeeper" in later
    assert "no-cache" in answer["Cache-Control"]


def test_a_withdrawn_link_does_not_work(organizer, series, link, client):
    organizer.post(reverse("organize:invitation-withdraw", args=[Invitation.objects.get().pk]))
    answer = show_invitation(Client(), link)
    assert answer.status_code == 410
    assert "withdrawn" in Page(answer).text
    assert "Pending links" not in Page(organizer.get(reverse("organize:organizers", args=[series]))).text


def test_withdrawing_an_accepted_invitation_is_an_error(organizer, series, link):
    bo = Client()
    bo.force_login(make_user("bo"))
    accept(bo, link)
    withdraw = reverse("organize:invitation-withdraw", args=[Invitation.objects.get().pk])
    assert "already accepted this invitation" in Page(organizer.post(withdraw, follow=True)).text
    assert names(series) == ["bo", "ida"]


def test_a_logged_in_visitor_accepts_with_a_button(client, series, link):
    client.force_login(make_user("bo"))
    page = Page(show_invitation(client, link))
    assert page.headings == ["Organize Harbour Cup"]
    assert "You are logged in as bo" in page.text
    assert names(series) == ["ida"], "opening a link changes nothing"
    answer = accept(client, link, follow=True)
    assert answer.redirect_chain == [(reverse("organize:series", args=[series]), 302)]
    assert "You are now an organizer of Harbour Cup." in Page(answer).text
    assert names(series) == ["bo", "ida"]


def test_a_visitor_without_an_account_creates_one_and_is_logged_in(client, series, link):
    assert "Create an account" in Page(show_invitation(client, link)).text
    answer = accept(client, link, ACCOUNT, follow=True)
    assert answer.status_code == 200
    assert answer.context["user"].username == "bo"
    assert names(series) == ["bo", "ida"]
    assert get_user_model().objects.get(username="bo").check_password(ACCOUNT["password1"])


def test_the_form_for_an_account_lists_the_rules_for_passwords(client, link):
    page = show_invitation(client, link, headers={"accept-language": "de"}).content.decode()
    assert "<ul><li>Das Passwort" in page
    assert "Passwort wiederholen" in page
    assert "das selbe" not in page


def test_a_visitor_with_an_account_logs_in_and_comes_back(client, series, link):
    make_user("bo")
    login = Page(show_invitation(client, link)).links["Log in to accept"]
    answer = client.post(login, {"login": "bo", "password": "correct-horse-battery", "next": ACCEPT})
    assert answer["Location"] == ACCEPT
    accept(client, link)
    assert names(series) == ["bo", "ida"]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"password1": "12345678", "password2": "12345678"}, "too common"),
        ({"password1": "bo-bo", "password2": "bo-bo"}, "too short"),
        ({"password2": "something-else-9"}, "didn’t match"),
        ({"username": "IDA"}, "already exists"),
        ({"username": "b o"}, "valid username"),
        ({"username": ""}, "required"),
        ({"username": "x" * 10_000}, "at most 150"),
    ],
)
def test_a_refused_sign_up_is_explained_and_the_link_stays_valid(client, series, link, said, message):
    answer = accept(client, link, {**ACCOUNT, **said})
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert get_user_model().objects.count() == 1
    assert accept(client, link, ACCOUNT).status_code == 302


def test_the_page_of_a_closed_link_helps_and_reveals_nothing(client, series, ida):
    used, withdrawn, expired = (invite(series.pk, actor=ida)[1] for _ in range(3))
    # In the order in which they were made, as primary keys are.
    keys = list(Invitation.objects.order_by("pk").values_list("pk", flat=True))
    now = timezone.now()
    Invitation.objects.filter(pk=keys[0]).update(accepted_at=now, accepted_by=ida)
    Invitation.objects.filter(pk=keys[1]).update(withdrawn_at=now)
    Invitation.objects.filter(pk=keys[2]).update(expires_at=now - timedelta(seconds=1))
    expected = {used: (410, "already been accepted"), withdrawn: (410, "withdrawn"), expired: (410, "expired")}
    unknown = {"nonsense": (404, "There is no such invitation")}
    for token, (status, words) in {**expected, **unknown}.items():
        answer = client.post(OPEN, {"link": token})
        assert answer.status_code == status
        assert words in Page(answer).text
        assert series.name not in answer.content.decode()
        assert 'name="password1"' not in answer.content.decode()
    assert get_user_model().objects.count() == 1
    assert names(series) == ["ida"]


def test_a_link_of_an_earlier_version_no_longer_works_and_ends_its_invitation(organizer, series, link):
    """Proxies may have logged the secret in its path, so no one can use it afterwards."""
    visitor, bo = Client(), Client()
    bo.force_login(make_user("bo"))
    show_invitation(bo, link)
    pages = []
    for secret in (link, "nonsense"):
        answer = visitor.get(f"/organize/invitations/{secret}/")
        assert answer.status_code == 410
        assert (answer["Referrer-Policy"], answer["X-Robots-Tag"]) == ("same-origin", "noindex")
        assert "no-store" in answer["Cache-Control"]
        pages.append(answer.content.replace(secret.encode(), b""))
    assert pages[0] == pages[1], "it does not tell whether there is such an invitation"
    assert "Ask the person who invited you for a new link" in Page(answer).text
    assert visitor.post(f"/organize/invitations/{link}/", ACCOUNT).status_code == 410
    assert bo.post(ACCEPT).status_code == show_invitation(bo, link).status_code == 410
    assert names(series) == ["ida"]
    history = Page(organizer.get(reverse("organize:series", args=[series]))).text
    assert history.count("Podium withdrew an outdated invitation link to Harbour Cup") == 1


@pytest.mark.parametrize("token", ["%00", "%ff", "%F0%9F%8F%86", ".", "0", "a%2Fb"])
def test_damaged_links_cause_no_server_error(client, token):
    expected = 404 if token == "a%2Fb" else 410
    assert client.get(f"/organize/invitations/{token}/").status_code == expected


def test_the_second_to_accept_a_link_is_refused(client, series, link):
    make_user("eve")
    first, second = Client(), Client()
    first.force_login(make_user("bo"))
    second.login(username="eve", password="correct-horse-battery")
    assert show_invitation(second, link).status_code == 200
    accept(first, link)
    answer = accept(second, link)
    assert answer.status_code == 410
    assert "already been accepted" in Page(answer).text
    assert names(series) == ["bo", "ida"]


def test_an_organizer_who_opens_a_link_does_not_use_it_up(organizer, series, link):
    assert "You already organize this series" in Page(show_invitation(organizer, link)).text
    accept(organizer, link)
    assert Invitation.objects.get().accepted_at is None


def test_the_address_of_a_link_is_not_sent_to_other_sites(client, link):
    answer = show_invitation(client, link)
    assert answer["Referrer-Policy"] == "same-origin"
    assert "no-store" in answer["Cache-Control"]
    assert answer["X-Robots-Tag"] == "noindex"


def test_accepting_from_elsewhere_is_refused(series, link):
    suspicious = Client(enforce_csrf_checks=True)
    suspicious.force_login(make_user("bo"))
    visitors = (suspicious, Client(enforce_csrf_checks=True))
    for visitor in visitors:
        session = visitor.session
        session["podium_invitation"] = link
        session.save()
        assert "invites you" in Page(visitor.get(ACCEPT)).text
        assert visitor.post(ACCEPT, ACCOUNT).status_code == 403
    assert names(series) == ["ida"]


def test_only_organizers_and_staff_change_the_organizers(client, series, ida, address, link):
    eve, invitation = make_user("eve"), Invitation.objects.get()
    posts = {
        address: {"username": "eve"},
        reverse("organize:organizer-remove", args=[series, ida.pk]): {},
        reverse("organize:invitations", args=[series]): {},
        reverse("organize:invitation-withdraw", args=[invitation.pk]): {},
    }
    for path, said in posts.items():
        assert client.post(path, said)["Location"].startswith(reverse("login"))
    client.force_login(eve)
    for public, status in ((True, 403), (False, 404)):
        series.is_private = not public
        series.save()
        for path, said in posts.items():
            assert client.post(path, said).status_code == status, path
        assert client.get(address).status_code == status
    assert names(series) == ["ida"]
    assert Invitation.objects.filter(withdrawn_at=None).count() == 1
    client.force_login(make_user("boss", is_staff=True))
    assert client.post(address, {"username": "eve"}).status_code == 302
    assert names(series) == ["eve", "ida"]


def test_an_organizer_of_another_series_cannot_be_removed_by_this_one(organizer, series):
    other = make_user("bo")
    make_series("other", organizer=other)
    assert organizer.post(reverse("organize:organizer-remove", args=[series, other.pk])).status_code == 404


def test_a_series_without_the_required_second_person_shows_a_warning(organizer, series, address):
    said = {"name": series.name, "is_public": "on", "needs_approval": "on"}
    page = organizer.post(reverse("organize:series-edit", args=[series]), said, follow=True)
    assert "so no one else can confirm" in Page(page).text
    series.refresh_from_db()
    assert series.needs_approval
    assert "but the series has no second organizer" in Page(organizer.get(address)).text
    bo = make_user("bo")
    for role, is_enough in ((Role.VIEWER, False), (Role.ORGANIZER, True)):  # of the community
        Membership.objects.update_or_create(user=bo, community_id=series.community_id, defaults={"role": role})
        assert ("but the series has no second organizer" not in Page(organizer.get(address)).text) is is_enough
    Membership.objects.all().delete()
    add_organizer(series.pk, bo.username)
    assert "but the series has no second organizer" not in Page(organizer.get(address)).text


@pytest.mark.parametrize("size", [1, 20])
def test_the_page_takes_seven_queries(organizer, series, ida, address, django_assert_num_queries, size):
    for i in range(size):
        add_organizer(series.pk, make_user(f"user-{i}").username)
        invite(series.pk, actor=ida)
    with django_assert_num_queries(7):  # session, user, series, right to it; organizers; open links; community
        organizer.get(address)


@pytest.mark.parametrize("is_opened", [True, False])
def test_a_link_by_a_removed_organizer_creates_no_account(client, series, ida, link, is_opened):
    if is_opened:
        show_invitation(client, link)
    series.organizers.set([make_user("bo")])
    answer = client.post(ACCEPT, ACCOUNT) if is_opened else accept(client, link, ACCOUNT)
    assert answer.status_code == 410
    assert "can no longer invite people" in Page(answer).text
    assert series.name not in answer.content.decode()
    assert names(series) == ["bo"]


# The history of a series after an account was deleted


def test_the_history_keeps_the_name_of_a_deleted_account(organizer, series, ida, client):
    organizer.post(reverse("organize:organizers", args=[series]), {"username": make_user("bo").username})
    ida.delete()
    staff = Client()
    staff.force_login(make_user("boss", is_staff=True))
    history = Page(staff.get(reverse("organize:series", args=[series]))).text
    assert "ida (account deleted) added an organizer to" in history
    assert "command line" not in history


def test_the_history_names_the_series_and_the_command_line(organizer, series):
    choose_scheme(series.pk, system="glicko")
    history = Page(organizer.get(reverse("organize:series", args=[series]))).text
    assert "From the command line: set the rating scheme of Harbour Cup" in history
    versions = Page(organizer.get(reverse("organize:scheme", args=[series]))).text.partition("Versions")[2]
    assert "set from the command line" in versions


def test_a_later_account_of_the_same_name_is_not_taken_for_the_deleted_one(organizer, series, ida):
    add_organizer(series.pk, make_user("bo").username, actor=ida)
    ida.delete()
    make_user("ida")
    staff = Client()
    staff.force_login(make_user("boss", is_staff=True))
    assert "ida (account deleted)" in Page(staff.get(reverse("organize:series", args=[series]))).text


def test_an_invitation_of_someone_who_lost_the_right_creates_nothing_even_after_they_got_it_back(
    client, series, ida, link
):
    series.organizers.set([make_user("bo")])
    series.organizers.add(ida)
    stranger = Client()
    stranger.force_login(make_user("eve"))
    for visitor in (Client(), stranger):
        for answer in (show_invitation(visitor, link, follow=True), accept(visitor, link, ACCOUNT, follow=True)):
            assert "has been withdrawn" in Page(answer).text
            assert series.name not in Page(answer).text
    assert names(series) == ["bo", "ida"]
    assert get_user_model().objects.count() == 3
    client.force_login(ida)
    history = Page(client.get(reverse("organize:series", args=[series]))).text
    assert "Podium withdrew a former organizer’s invitation to Harbour Cup" in history


# Links whose secret follows the #


@pytest.fixture
def secret(series, ida):
    return invite(series.pk, note="for Bo", actor=ida)[1]


@pytest.mark.parametrize(
    "before", ["", "http://testserver/organize/invitations/#", "#", "  https://x/organize/invitations/"]
)
@pytest.mark.parametrize("after", ["", "/", " "])
def test_a_link_is_opened_and_accepted_without_its_secret_in_an_address(client, series, secret, before, after):
    assert Page(client.get(OPEN)).headings == ["Open an invitation"]
    answer = client.post(OPEN, {"link": f"{before}{secret}{after}"}, follow=True)
    assert answer.redirect_chain == [(ACCEPT, 302)]
    assert Page(answer).headings == ["Organize Harbour Cup"]
    assert secret not in answer.content.decode()
    assert f"?next={ACCEPT}" in answer.content.decode()
    assert names(series) == ["ida"]
    client.post(ACCEPT, ACCOUNT)
    assert names(series) == ["bo", "ida"]
    assert client.get(ACCEPT)["Location"] == OPEN, "the secret is forgotten"


def test_an_opened_invitation_outlives_logging_in(client, series, secret):
    make_user("bo")
    client.post(OPEN, {"link": secret})
    client.post(reverse("login"), {"login": "bo", "password": "correct-horse-battery"})
    assert "You are logged in as bo" in Page(client.get(ACCEPT)).text
    client.post(ACCEPT)
    assert names(series) == ["bo", "ida"]


@pytest.mark.parametrize(
    ("link", "status"), [("", 422), ("nonsense", 404), ("\0", 422), ("x" * 9_999, 422), ("#", 404)]
)
def test_an_invalid_link_opens_nothing(client, link, status):
    answer = client.post(OPEN, {"link": link})
    assert answer.status_code == status
    assert client.get(ACCEPT)["Location"] == OPEN
    assert "sessionid" not in client.cookies or not client.session.get("podium_invitation")


def test_an_opened_invitation_that_is_withdrawn_says_so_once(client, series, secret):
    client.post(OPEN, {"link": secret})
    Invitation.objects.update(withdrawn_at=timezone.now())
    assert client.get(ACCEPT).status_code == 410
    assert client.get(ACCEPT)["Location"] == OPEN
    assert client.post(OPEN, {"link": secret}).status_code == 410


def test_another_site_cannot_open_a_link_in_a_browser(secret):
    assert Client(enforce_csrf_checks=True).post(OPEN, {"link": secret}).status_code == 403


@pytest.mark.parametrize("path", [OPEN, ACCEPT])
def test_pages_of_invitations_are_neither_cached_nor_indexed(client, secret, path):
    client.post(OPEN, {"link": secret})
    answer = client.get(path)
    assert answer["Referrer-Policy"] == "same-origin"
    assert "no-store" in answer["Cache-Control"]
    assert answer["X-Robots-Tag"] == "noindex"
