"""The default tiers of a community: who may set them, and which series start with them."""

from __future__ import annotations

import pytest
from django.urls import reverse

from contests.errors import ContestError
from contests.models import AuditEntry, Series
from contests.services.communities import delete_community, set_role
from ratings.default_display import default_display, suitable_tiers
from ratings.models import DefaultDisplay, Scheme
from ratings.publishing.default_displays import set_default_display
from ratings.publishing.schemes import choose_scheme, scheme_of
from tests.factories import make_community, make_contest, make_series, make_user, rate
from tests.pages import Page
from tests.web.organize.forms import SERIES

pytestmark = pytest.mark.django_db

TIERS = [
    {"name": "Deck", "minimum": None, "colour_light": "#4b5361", "colour_dark": "#b3bac6", "symbol": "d"},
    {"name": "Mast", "minimum": 1234, "colour_light": "#1a4f8b", "colour_dark": "#9ac7ff", "symbol": "m"},
]


def page():
    return reverse("organize:community-tiers", args=["hill"])


@pytest.fixture
def olga():
    return make_user("olga")


@pytest.fixture
def cup(olga):
    make_community("hill", owner=olga)
    series = make_series("cup", community="hill")
    default = default_display("glicko2", {})
    choose_scheme(series.pk, system="glicko2", display=default | {"scale": 2.0}, tiers=TIERS)
    return series


def new_series(slug, system, community="hill"):
    return choose_scheme(make_series(slug, community=community).pk, system=system)


def test_new_series_with_the_system_start_with_the_copied_tiers_and_others_do_not(client, cup, olga):
    client.force_login(olga)
    old, before = new_series("old", "glicko2"), Scheme.objects.newest(cup.pk)
    recommended = suitable_tiers("glicko2", {}, default_display("glicko2", {})).to_list()
    assert (old.display, old.tiers) == (default_display("glicko2", {}), recommended)
    assert page() in client.get(reverse("organize:community", args=["hill"])).content.decode()
    answer = client.post(page(), {"series": cup.pk}, follow=True)
    assert "Saved. Existing series stay as they are." in Page(answer).text
    assert "rated with Glicko-2 start with the display and tiers below" in Page(answer).text
    assert [row[0].split()[-1] for row in Page(answer).tables[0][1:]] == ["Mast", "Deck"]
    new = new_series("new", "glicko2")
    assert (new.display, new.tiers) == (before.display, TIERS)
    assert new_series("elsewhere", "glicko2", "other").tiers == recommended
    assert new_series("elo", "elo").tiers == suitable_tiers("elo", {}, default_display("elo", {})).to_list()
    own = choose_scheme(make_series("own", community="hill").pk, system="glicko2", display=old.display)
    assert own.tiers == recommended, "thresholds for another scale"
    for kept in (old, before):
        assert Scheme.objects.newest(kept.series_id) == kept
    entry = AuditEntry.objects.get(action="community.tiers")
    assert (entry.who, entry.community_id, entry.after["tiers"]) == ("olga", "hill", [["Deck", None], ["Mast", 1234]])
    client.post(page(), {"series": ""})
    assert new_series("last", "glicko2").tiers == recommended
    assert not DefaultDisplay.objects.exists()


def test_the_form_of_a_new_series_uses_them(client, cup, olga):
    set_default_display("hill", cup.pk)
    client.force_login(olga)
    answer = client.post(
        reverse("organize:series-create"),
        SERIES | {"community": "hill", "slug": "relay", "system": "glicko2", "mapping": "suited"},
    )
    assert answer.status_code == 302, Page(answer).text
    assert scheme_of(Series.objects.get(slug="relay").pk).tiers == TIERS


def test_a_later_change_of_the_copied_series_changes_nothing(cup):
    set_default_display("hill", cup.pk)
    choose_scheme(cup.pk, tiers=[TIERS[0] | {"name": "All"}])
    assert new_series("new", "glicko2").tiers == TIERS
    set_default_display("hill", cup.pk)
    assert [tier["name"] for tier in new_series("newer", "glicko2").tiers] == ["All"]
    assert AuditEntry.objects.filter(action="community.tiers").count() == 2


def test_organizers_may_set_them_but_viewers_and_strangers_may_not(client, cup):
    for role, status in (("organizer", 302), ("viewer", 403), ("", 403)):
        user = make_user(f"user-{role}")
        if role:
            set_role("hill", user, role)
        client.force_login(user)
        assert client.post(page(), {"series": cup.pk}).status_code == status, role
        assert client.get(page()).status_code == (200 if status == 302 else 403)
    assert AuditEntry.objects.filter(action="community.tiers").count() == 1


def test_series_of_other_communities_are_not_offered_and_not_taken(client, cup, olga):
    foreign = make_series("foreign", community="other", is_public=False)
    choose_scheme(foreign.pk, tiers=TIERS)
    client.force_login(olga)
    for wrong in (foreign.pk, make_series("bare", community="hill").pk, 10**12, "x"):
        answer = client.post(page(), {"series": wrong})
        assert answer.status_code == 422
        assert "foreign" not in Page(answer).text.casefold().replace("harbour", "")
    with pytest.raises(ContestError, match="not in this community"):
        set_default_display("hill", foreign.pk)
    assert not DefaultDisplay.objects.exists()


def test_default_tiers_are_deleted_with_their_community(cup):
    set_default_display("hill", cup.pk)
    cup.delete()
    delete_community("hill")
    assert not DefaultDisplay.objects.exists()


def test_large_series_are_listed_with_their_uneven_tiers(client, cup, olga, monkeypatch):
    client.force_login(olga)
    assert "Tiers based on your players" not in Page(client.get(page())).text
    for place in ("web.shared.tiers", "ratings.display.tier_shares", "web.organize.community.default_tiers"):
        monkeypatch.setattr(f"{place}.ENOUGH_PLAYERS", 2)
    make_contest(cup, players=3)
    rate(cup)
    shown = Page(client.get(page()))
    assert shown.links["Cup"] == reverse("organize:scheme", args=[cup]) + "#proposed"
    assert "66.7 % in Mast" in shown.text, "two of three players"
    choose_scheme(cup.pk, tiers=[TIERS[0], {**TIERS[1], "minimum": 99_999}])
    assert "no player in Mast" in Page(client.get(page())).text
