"""Every page of the section as anonymous, as somebody else's organizer, as its organizer, as staff."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse
from podium.urls_organize import urlpatterns

from contests.formats import Report
from contests.models import Contest
from contests.services.uploading import keep_upload
from tests.factories import make_contest, make_series, make_user, rate
from tests.organize.forms import CONTEST, preview_address

pytestmark = pytest.mark.django_db

CSV = b"rank,handle\n1,ann\n2,bob\n"


@pytest.fixture
def addresses(series) -> dict[str, str]:
    """Each page of the section, with what it needs to answer 200 (POST-only ones apart)."""
    final = make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    draft = make_contest(series, standings=[("ann", 1), ("bob", 2)], finalized=False)
    kept = keep_upload(series.pk, content=ContentFile(CSV), filename="standings.csv", report=Report())
    own = {name: reverse(f"organize:{name}", args=[series.slug]) for name in OF_A_SERIES}
    drafts = {name: reverse(f"organize:{name}", args=[draft.pk]) for name in OF_A_DRAFT}
    return {
        "home": reverse("organize:home"),
        "series-create": reverse("organize:series-create"),
        **own,
        **drafts,
        "preview": preview_address(kept.pk, draft.pk),
        "upload-save": reverse("organize:upload-save", args=[kept.pk]),
        "upload-discard": reverse("organize:upload-discard", args=[kept.pk]),
        "correct": reverse("organize:correct", args=[final.standings.first().pk]),
    }


OF_A_SERIES = ("series", "series-edit", "progress", "progress-json", "ring", "contest-create")
OF_A_DRAFT = ("contest", "contest-edit", "upload", "finalize", "contest-delete")
POST_ONLY = ("ring", "upload-save", "upload-discard")
ONLY_READ = ("home", "series", "progress", "progress-json", "preview", "contest")
OPEN_TO_ALL_ACCOUNTS = ("home", "series-create")


def test_the_sweep_below_knows_every_page(addresses):
    assert set(addresses) == {pattern.name for pattern in urlpatterns}
    assert len(addresses) == 17


def test_anonymous_visitors_log_in_first_and_come_back(client, addresses):
    for name, address in addresses.items():
        if name in POST_ONLY:
            continue
        for method in (client.get, client.post):
            answer = method(address)
            assert answer.status_code == 302, name
            assert answer["Location"].startswith(reverse("login")), name
            assert "next=/organize/" in answer["Location"], name


def test_another_series_organizer_is_told_whom_to_ask(client, addresses, series):
    client.force_login(make_user("eve"))
    refused = [name for name in addresses if name not in OPEN_TO_ALL_ACCOUNTS]
    before = Contest.objects.count(), series.uploads.count()
    for name in refused:
        methods = (client.post,) if name in POST_ONLY else (client.get, client.post)
        for method in methods:
            answer = method(addresses[name], CONTEST)
            assert answer.status_code == 403, name
            assert "Ask one of its organizers" in answer.content.decode(), name
    assert (Contest.objects.count(), series.uploads.count()) == before
    assert len(refused) == 15


def test_a_series_that_is_not_public_is_not_there_for_others(client, addresses, series):
    series.is_public = False
    series.save()
    client.force_login(make_user("eve"))
    for name, address in addresses.items():
        if name not in OPEN_TO_ALL_ACCOUNTS:
            answer = client.post(address) if name in POST_ONLY else client.get(address)
            assert answer.status_code == 404, name


@pytest.mark.parametrize("who", ["organizer", "staff"])
def test_organizers_and_staff_see_every_page(client, addresses, ida, who):
    client.force_login(ida if who == "organizer" else make_user("boss", is_staff=True))
    seen = 0
    for name, address in addresses.items():
        if name in POST_ONLY:
            continue
        answer = client.get(address)
        assert answer.status_code == 200, name
        if name != "progress-json":
            assert answer.content.decode().count("<h1") == 1, name
        seen += 1
    assert seen == 14


def test_home_lists_only_what_one_organizes_and_all_for_staff(client, series):
    other = make_series("other-cup")
    client.force_login(series.organizers.get())
    page = client.get(reverse("organize:home")).content.decode()
    assert series.name in page
    assert other.name not in page
    client.force_login(make_user("boss", is_staff=True))
    page = client.get(reverse("organize:home")).content.decode()
    assert series.name in page
    assert other.name in page


@pytest.mark.parametrize("name", POST_ONLY)
def test_what_changes_something_at_once_is_not_done_by_following_a_link(organizer, addresses, name):
    assert organizer.get(addresses[name]).status_code == 405


def test_forms_from_elsewhere_are_refused(addresses, ida):
    suspicious = Client(enforce_csrf_checks=True)
    suspicious.force_login(ida)
    names = [name for name in addresses if name not in ONLY_READ]
    for name in names:
        assert suspicious.post(addresses[name], CONTEST).status_code == 403, name
    assert len(names) == 11


def test_a_file_of_one_series_cannot_be_saved_into_another(organizer, addresses, ida):
    other = make_contest(make_series("other-cup", organizer=ida), finalized=False)
    assert organizer.post(addresses["upload-save"], {"contest": other.pk}).status_code == 404
    assert organizer.get(addresses["preview"].split("?")[0] + f"?contest={other.pk}").status_code == 404
    assert not other.standings.exists()
