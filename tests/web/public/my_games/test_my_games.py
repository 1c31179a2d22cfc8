"""The pages on which players report their games and answer those of opponents, and the organizers' list of them."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlencode

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contests.models import AuditEntry, Contest, GameReport, Player, PlayerClaim
from contests.services.communities import describe_community, set_role
from contests.services.merging import merge_players
from tests.factories import make_community, make_contest, make_player, make_series, make_user
from tests.pages import Page
from web.shared import stored_texts

pytestmark = pytest.mark.django_db


class Club:
    """A public series that takes reports; anna is ann and bob is bo."""

    def __init__(self, client) -> None:
        self.client = client
        self.owner = make_user("olga")
        make_community("main", owner=self.owner)
        self.series = make_series("chess", takes_reports=True)
        make_contest(self.series, standings=[("ann", 1), ("bo", 2)])
        make_contest(self.series, standings=[("bo", 1), ("cy", 2)])
        self.users = {
            "ann": make_user("anna", email="anna@example.org"),
            "bo": make_user("bob", email="bob@example.org"),
        }
        for handle, user in self.users.items():
            PlayerClaim.objects.create(community_id="main", player=make_player(handle), user=user)
            EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        self.address = reverse("game-report", args=[self.series])

    def as_(self, handle: str):
        self.client.force_login(self.users.get(handle) or self.owner)
        return self

    def report(self, **fields):
        said = {"opponent": "bo", "result": "won", "day": timezone.now().date().isoformat()} | fields
        return self.client.post(self.address, said, follow=True)

    def answer(self, report: GameReport, **fields):
        return self.client.post(reverse("game-report-answer", args=[report.pk]), fields, follow=True)

    def mine(self) -> str:
        return Page(self.client.get(reverse("my-games"))).text


@pytest.fixture
def club(client):
    return Club(client)


def test_a_report_travels_from_one_phone_to_the_other_and_counts(club, settings, django_capture_on_commit_callbacks):
    settings.PODIUM_SENDS_MAIL, settings.CELERY_TASK_ALWAYS_EAGER = True, True
    form = club.as_("ann").client.get(reverse("my-games"))
    assert "Report a game in Chess" in Page(form).text
    assert "disabled" in form.content.decode().partition("report-form")[2].split("<button")[1], (
        "Enter chooses no result"
    )
    done = club.report(opponent="BO", score="3", opponent_score="1")
    assert "Reported. The game counts once your opponent confirms it." in Page(done).text
    assert "You won against bo 3–1 Waiting for your opponent" in club.mine()
    (message,) = mail.outbox
    assert (message.to, message.subject) == (["bob@example.org"], "ann has reported a game with you")
    text, last = " ".join(message.body.split()), GameReport.objects.get().expires_at
    assert f"ann says that you lost a game in Chess on {GameReport.objects.get().day:%-d %b %Y}." in text
    assert f"You can confirm or dispute it until {last:%-d %b %Y}." in text
    assert "The score, yours first, was 1–3." in " ".join(message.body.split())
    assert "http://testserver/games/" in message.body
    assert 'href="http://testserver/games/"' in message.alternatives[0][0]
    report = GameReport.objects.get()
    assert "You lost against ann 1–3" in club.as_("bo").mine()
    assert "Confirmed. Podium is rating the game." in Page(club.answer(report, answer="confirm")).text
    assert "Confirmed. Podium is rating the game." in Page(club.answer(report, answer="confirm")).text, "two clicks"
    assert Contest.objects.filter(event__isnull=False).count() == 1
    assert "You lost against ann 1–3 Confirmed" in club.mine()
    assert "You won against bo 3–1 Confirmed" in club.as_("ann").mine()


def test_the_reason_of_a_merge_is_in_the_readers_language(club, monkeypatch):
    make_contest(club.series, standings=[("cy", 1), ("annie", 2)])
    club.as_("ann").report(opponent="annie")
    merge_players(make_player("ann").pk, make_player("annie").pk, reason="two handles")
    note = GameReport.objects.get().note
    assert note in club.mine()
    assert note in stored_texts.REASONS
    monkeypatch.setitem(stored_texts.REASONS, note, "Beide sind dieselbe Person.")
    assert "Beide sind dieselbe Person." in club.mine()
    entry = AuditEntry.objects.get(action="report.reject")
    assert stored_texts.reason_in_words(entry.reason) == "Beide sind dieselbe Person."


def test_the_opponent_who_reports_the_same_game_confirms_it(club):
    club.as_("ann").report()
    done = club.as_("bo").report(opponent="ann", result="lost")
    assert "Your opponent had already reported this game, so it counts now." in Page(done).text
    assert GameReport.objects.get().state == "confirmed"
    again = club.report(opponent="ann", result="won")
    assert again.status_code == 422
    assert "If this was another game, tick “Another game”." in Page(again).text
    assert 'name="is_another"' in again.content.decode()
    assert club.report(opponent="ann", result="won", is_another="on").status_code == 200
    assert GameReport.objects.filter(state="waiting").count() == 1


def test_with_a_second_organizer_texts_say_that_a_confirmed_game_awaits_finalization(club, settings):
    settings.PODIUM_SENDS_MAIL, settings.CELERY_TASK_ALWAYS_EAGER = True, True
    set_role(club.series.community_id, make_user("second"), "organizer")
    club.series.needs_approval = True
    club.series.save()
    club.as_("ann")
    page = Page(club.client.get(club.address)).text
    assert "Once your opponent confirms it, an organizer has to finalize it." in page
    done = Page(club.report()).text
    assert "Reported. Once your opponent confirms the game, an organizer has to finalize it." in done
    body = " ".join(mail.outbox[0].body.split()) if mail.outbox else ""
    both = Page(club.as_("bo").report(opponent="ann", result="lost")).text
    assert "Your opponent had already reported this game, so it will count once an organizer finalizes it." in both
    assert "Once you confirm the game, an organizer has to finalize it. You can confirm or dispute it until" in body
    assert not Contest.objects.filter(event__isnull=False, state="finalized").exists()


def test_bad_input_says_what_to_do_and_keeps_what_was_typed(club):
    club.as_("ann")
    make_contest(make_series("other", community="elsewhere"), standings=[("zoe", 1)])
    make_player("hidden")
    for fields, words in (
        ({"opponent": ""}, "This field is required."),
        ({"opponent": "zoe"}, "No player has this name, or several have it."),
        ({"opponent": "hidden"}, "No player has this name, or several have it."),
        ({"opponent": "<b>x</b>"}, "No player has this name, or several have it."),
        ({"opponent": "ann"}, "You cannot play against yourself."),
        ({"result": ""}, "Press the button with your result."),
        ({"result": "everything"}, "Select a valid choice."),
        ({"day": "2025-13-01"}, "Enter a valid date."),
        ({"day": "2020-01-01"}, "more than 30 days ago"),
        ({"score": "3"}, "Enter both scores, or leave both empty."),
        ({"score": "1", "opponent_score": "3"}, "The score does not agree with the result."),
        ({"score": "nan", "opponent_score": "3"}, "Enter a number."),
        ({"score": "1,500", "opponent_score": "3"}, "Enter 1500 or 1.5: 1,500 can mean either."),
    ):
        answer = club.report(**fields)
        assert answer.status_code == 422, fields
        assert words in Page(answer).text, (fields, Page(answer).text)
        if fields.get("opponent") is None:
            assert 'value="bo"' in answer.content.decode()
    assert not GameReport.objects.exists()


def test_a_misspelt_opponent_leads_to_the_nearest_players_and_keeps_the_rest(club):
    make_player("mc", name="Magnus Carlsen")
    make_contest(club.series, standings=[("mc", 1), ("hamilton", 2)])
    make_contest(make_series("other", community="elsewhere"), standings=[("carlsen", 1)])
    club.as_("ann")
    for typed, meant in (("Magnus Carslen", "mc"), ("hamiltn", "hamilton"), ("hamster", "hamilton")):
        answer = club.report(opponent=typed, result="lost", score="1.5", opponent_score="2")
        assert "Did you mean one of these?" in Page(answer).text
        links = Page(answer).links
        assert meant in links, typed
        assert "carlsen" not in links, "of another community"
        form = club.client.get(links[meant])
        values = {field.name: field.value() for field in form.context["form"]}
        assert (values["opponent"], values["score"], values["opponent_score"]) == (meant, "1.5", "2")
        assert "csrf" not in links[meant]
        assert "<details open" in form.content.decode()
    assert "Did you mean" not in Page(club.report(opponent="qqqq")).text
    assert "Did you mean" not in Page(club.client.get(club.address)).text


def test_a_dispute_goes_to_the_organizers_who_decide(club):
    club.as_("ann").report()
    report = GameReport.objects.get()
    assert (
        "Disputed. An organizer will decide."
        in Page(club.as_("bo").answer(report, answer="dispute", note="a draw")).text
    )
    assert "Disputed" in club.as_("ann").mine()
    desk = club.as_("olga").client.get(reverse("organize:reports", args=[club.series]))
    assert "ann – bo 1–0 disputed" in Page(desk).text
    assert "The opponent says: “a draw”" in Page(desk).text
    assert "Reported games 1" in Page(club.client.get(reverse("organize:series", args=[club.series]))).text
    decide = reverse("organize:report-decide", args=[report.pk])
    done = club.client.post(decide, {"decision": "reject", "note": "see minutes"}, follow=True)
    assert "Rejected. Both players see it" in Page(done).text
    assert "Rejected" in club.as_("bo").mine()
    assert "see minutes" in club.mine()
    late = club.as_("olga").client.post(decide, {"decision": "accept"}, follow=True)
    assert "An organizer has rejected this game." in Page(late).text
    assert not Contest.objects.filter(event__isnull=False).exists()


def test_organizers_accept_a_game_against_someone_without_an_account(club):
    done = club.as_("ann").report(opponent="cy")
    assert "Your opponent has no account, so an organizer will have to confirm the game." in Page(done).text
    report = GameReport.objects.get()
    desk = club.as_("olga").client.get(reverse("organize:reports", args=[club.series]))
    assert "waiting for you" in Page(desk).text
    done = club.client.post(reverse("organize:report-decide", args=[report.pk]), {"decision": "accept"}, follow=True)
    assert "Accepted. Podium is rating it." in Page(done).text
    assert list(AuditEntry.objects.order_by("id").values_list("action", flat=True))[-2:] == [
        "game.add",
        "report.accept",
    ]


def test_no_one_else_reads_or_answers_a_report(club):
    club.as_("ann").report()
    report, eve = GameReport.objects.get(), make_user("eve")
    make_community("elsewhere", owner=eve)
    answer, decide = (reverse(n, args=[report.pk]) for n in ("game-report-answer", "organize:report-decide"))
    club.client.force_login(eve)
    assert club.client.post(answer, {"answer": "confirm"}).status_code == 404
    assert club.client.post(decide, {"decision": "accept"}).status_code == 403
    refused = club.client.get(club.address)
    assert (refused.status_code, "not linked to a player" in Page(refused).text) == (403, True)
    assert "bo" not in club.mine().split()
    club.as_("ann").answer(report, answer="confirm")
    club.answer(report, answer="dispute")
    report.refresh_from_db()
    assert report.state == "waiting", "nobody confirms their own report"
    club.client.logout()
    assert club.client.post(answer, {"answer": "confirm"}).status_code == 302
    for address in (reverse("player", args=["main", "ann"]), reverse("player", args=["main", "bo"])):
        assert "anna" not in club.client.get(address).content.decode()


def test_a_private_community_shows_its_reports_to_members_alone(club):
    club.as_("ann").report()
    report = GameReport.objects.get()
    describe_community("main", name="Main", description="", visibility="private")
    assert "Chess" not in club.as_("bo").mine()
    assert club.client.get(club.address).status_code == 404
    assert club.client.post(reverse("game-report-answer", args=[report.pk]), {"answer": "confirm"}).status_code == 404
    set_role("main", club.users["bo"], "viewer")
    assert "You lost against ann" in club.mine()
    assert "Confirmed." in Page(club.answer(report, answer="confirm")).text


def test_players_unlink_their_account_and_turn_messages_off(club, settings):
    settings.PODIUM_SENDS_MAIL, settings.CELERY_TASK_ALWAYS_EAGER = True, True
    bo = Player.objects.get(handle="bo")
    club.as_("bo").client.post(reverse("player-mail", args=[bo.pk]), {})
    club.as_("ann").report()
    assert mail.outbox == []
    for name in ("player-mail", "player-unlink"):
        assert club.client.post(reverse(name, args=[bo.pk])).status_code == 404
    address = reverse("player-unlink", args=[bo.pk])
    assert "Unlink your account from bo?" in Page(club.as_("bo").client.get(address)).text
    assert "Your account is no longer linked to bo." in Page(club.client.post(address, follow=True)).text
    assert "Your account is not linked to a player." in club.mine()
    assert AuditEntry.objects.get(action="claim.unlink").actor == club.users["bo"]


def test_a_session_that_expires_keeps_what_was_typed(club, settings):
    club.as_("ann").client.get(club.address)
    said = {"opponent": "bo", "result": "won", "day": "2026-01-01", "score": "7", "opponent_score": "5"}
    del club.client.cookies[settings.SESSION_COOKIE_NAME]
    answer = club.client.post(club.address, said, headers={"referer": f"http://testserver{club.address}"})
    assert answer["Location"] == f"{reverse('login')}?{urlencode({'next': club.address})}".replace("%2F", "/")
    shown = club.as_("ann").client.get(club.address)
    assert "nothing has been saved yet" in Page(shown).text
    assert 'name="score" value="7"' in shown.content.decode()
    assert not GameReport.objects.exists()


def test_many_reports_in_a_short_time_are_slowed_down(club, monkeypatch):
    monkeypatch.setattr("accounts.limits.RATES", {"report-account": "2/h"})
    club.as_("ann")
    assert [club.report(opponent="zed").status_code for _ in range(3)] == [422, 422, 429]


def test_the_pages_take_as_many_queries_for_many_reports_as_for_one(club, django_assert_max_num_queries):
    ann, bo = make_player("ann"), make_player("bo")
    now = timezone.now()
    GameReport.objects.bulk_create(
        GameReport(
            series=club.series, player=one, opponent=other, outcome=1, day=now.date(), state=state,
            reported_by=club.users[one.handle], created_at=now, expires_at=now + timedelta(days=1),
        )
        for one, other in ((ann, bo), (bo, ann))
        for state in ("waiting", "disputed", "confirmed", "rejected")
        for _ in range(60)
    )  # fmt: skip
    club.as_("ann")
    club.mine()
    with django_assert_max_num_queries(9):
        club.mine()
    club.as_("olga")
    with django_assert_max_num_queries(9):
        club.client.get(reverse("organize:reports", args=[club.series]))


def test_players_find_the_form_on_their_page_and_on_those_of_opponents(club):
    own, other = reverse("player", args=["main", "ann"]), reverse("player", args=["main", "bo"])
    assert club.address not in club.client.get(own).content.decode()
    club.as_("ann")
    assert "Report a game My games" in Page(club.client.get(own)).text
    assert f'href="{club.address}?opponent=bo"' in club.client.get(other).content.decode()
    assert 'value="bo"' in club.client.get(f"{club.address}?opponent=bo").content.decode()
    assert club.address not in club.as_("olga").client.get(own).content.decode()


def test_players_get_to_their_own_page_when_they_log_in(club):
    def landing(username):
        fields = {"login": username, "password": "correct-horse-battery"}
        return Client().post(reverse("login"), fields)["Location"]

    assert landing("anna") == "/c/main/players/ann/"
    assert landing("olga") == reverse("organize:home")
    make_user("nobody")
    assert landing("nobody") == reverse("organize:home")
    club.series.organizers.add(club.users["bo"])
    assert landing("bob") == reverse("organize:home")
    home = club.as_("bo").client.get(reverse("organize:home"))
    assert '<a href="/c/main/players/bo/"><bdi>bo</bdi></a>' in home.content.decode()
    make_community("other", owner=club.owner)
    other = Player.objects.create(community_id="other", handle="annie", handle_key="annie")
    PlayerClaim.objects.create(community_id="other", player=other, user=club.users["ann"])
    assert landing("anna") == "/c/main/players/ann/", "nobody sees a player without results"
    make_contest(make_series("go", community="other"), standings=[("annie", 1), ("bo", 2)])
    assert landing("anna") == reverse("my-games")
