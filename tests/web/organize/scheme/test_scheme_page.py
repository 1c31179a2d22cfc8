"""The page of a series' scheme: display, tiers, versions, and concurrent changes."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from contests.changes.base import read_change
from contests.errors import ContestError
from contests.models import AuditEntry
from ratings.display import contrast
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page
from tests.ratings.display.colour_vision import oklch
from tests.web.organize.schemes import TWO_TIERS, newest, rows, send

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_every_number_of_a_display_can_be_chosen_and_comes_back(organizer, rated):
    numbers = {"offset": "1000", "centre": "1500", "scale": "0.5", "minimum": "0"}
    assert send(organizer, rated, mapping="offset", **numbers).status_code == 302
    assert newest(rated).display == {"mapping": "offset", "offset": 1000.0, "scale": 0.5, "minimum": 0, "centre": 1500}
    assert not rated.stale_marks.exists()
    form = organizer.get(reverse("organize:scheme", args=[rated])).context["scheme_form"]
    assert [form[name].value() for name in ("mapping", "offset", "scale", "minimum")] == ["offset", 1000, 0.5, 0]
    assert form["centre"].value() is None, "a value that is the system's default stays empty"
    written = {name: form[name].value() for name in ("offset", "scale", "minimum")}
    send(organizer, rated, mapping="offset", **written)
    assert newest(rated).version == 2, "an untouched form changes nothing"


def test_a_fixed_range_asks_for_centre_and_spread_only_before_a_run_has_measured_them(organizer, series):
    address = reverse("organize:scheme", args=[series])
    assert 'name="temperature"' in organizer.get(address).content.decode()
    send(organizer, series, mapping="fermi", range="500", fermi_centre="1400", temperature="90")
    assert newest(series).display == {"mapping": "fermi", "range": 500, "centre": 1400.0, "temperature": 90.0}
    make_contest(series, players=4)
    rate(series)
    page = organizer.get(address).content.decode()
    assert 'name="temperature"' not in page
    assert "In run 1, the centre was" in page
    send(organizer, series, mapping="fermi", range="600")
    assert newest(series).display == {"mapping": "fermi", "range": 600, "centre": 1400.0, "temperature": 90.0}


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("scale", "0", "greater than or equal to 0.01"),
        ("offset", "nan", "Enter a number."),
        ("minimum", "1.5", "Enter a whole number."),
        ("offset", "2000000", "less than or equal to 1000000"),
        ("offset", "9" * 400, "Enter a number."),
    ],
)
def test_a_number_that_is_not_allowed_is_explained_beside_its_field(organizer, rated, field, value, message):
    answer = send(organizer, rated, mapping="offset", **{field: value})
    assert answer.status_code == 422
    assert message in answer.content.decode().split(f'for="id_{field}"')[1].split("<label")[0]
    assert newest(rated).version == 1


def test_subtracting_deviations_leads_to_the_page_that_shows_the_effect(organizer, rated):
    answer = send(organizer, rated, mapping="offset", k="2")
    assert answer["Location"].startswith(reverse("organize:change"))
    assert newest(rated).version == 1
    change = read_change(re.search("change=(.*)", answer["Location"]).group(1))
    assert change.moves_ratings
    change.apply(actor=None)
    assert newest(rated).display["k"] == 2
    assert rated.stale_marks.exists()


def test_a_system_without_a_deviation_subtracts_none(organizer, rated):
    answer = send(organizer, rated, system="elo", mapping="offset", k="2")
    assert answer.status_code == 422
    assert "Elo has no standard deviation to subtract" in answer.content.decode()


def test_custom_tiers_are_kept_in_the_order_of_their_thresholds(organizer, rated):
    assert send(organizer, rated, **rows(TWO_TIERS[::-1])).status_code == 302
    assert [(tier["name"], tier["minimum"]) for tier in newest(rated).tiers] == [("Low", None), ("High", 1500)]
    assert not rated.stale_marks.exists()
    page = organizer.get(reverse("organize:scheme", args=[rated]))
    assert page.context["scheme_form"]["tier_choice"].value() == "own"
    assert 'value="High"' in page.content.decode()


def test_a_removed_tier_is_gone_and_the_recommended_tiers_can_be_restored(organizer, rated):
    middle = {**TWO_TIERS[1], "name": "Middle", "minimum": "1400", "symbol": "□"}
    send(organizer, rated, **rows([*TWO_TIERS, middle], **{"tiers-2-DELETE": "on"}))
    assert [tier["name"] for tier in newest(rated).tiers] == ["Low", "High"]
    send(organizer, rated, tier_choice="suited")
    assert len(newest(rated).tiers) == 8


@pytest.mark.parametrize(
    ("row", "field", "value", "message"),
    [
        (1, "name", "low", "Another tier also has this name"),
        (1, "symbol", "○", "Another tier also has this symbol"),
        (1, "minimum", "", "Only the lowest can have none"),
        (0, "minimum", "100", "The lowest tier has no threshold"),
        (1, "minimum", "many", "Enter a whole number"),
        (1, "name", "", "This field is required"),
        (1, "name", "x" * 41, "at most 40 characters"),
        (1, "colour", "blue", "This is not a valid colour"),
        (1, "colour", "#ééé", "This is not a valid colour"),
    ],
)
def test_errors_of_a_tier_are_shown_in_its_row(organizer, rated, row, field, value, message):
    tiers = [dict(tier) for tier in TWO_TIERS]
    tiers[row][field] = value
    answer = send(organizer, rated, **rows(tiers))
    assert answer.status_code == 422
    part = answer.content.decode().split(f'for="id_tiers-{row}-{field}"')[1].split("<label")[0]
    assert message in part
    assert newest(rated).version == 1


def test_a_new_colour_keeps_its_hue_and_an_unchanged_one_keeps_its_pair(organizer, rated):
    chosen = [{**TWO_TIERS[0], "colour": "#6e6e6e"}, {**TWO_TIERS[1], "colour": "#ffd700"}]
    assert send(organizer, rated, **rows(chosen)).status_code == 302
    low, high = newest(rated).tiers
    assert (low["colour_light"], low["colour_dark"]) == ("#6e6e6e", "#acacac")
    pair = high["colour_light"], high["colour_dark"]
    assert pair[1] == "#ffd700"
    assert abs(oklch(pair[0])[2] - oklch("#ffd700")[2]) < 2
    assert contrast(pair[0], "#ffffff") >= 4.5
    bare = [{"name": "Low", "minimum": "", "symbol": "○"}]
    assert "Choose a colour" in send(organizer, rated, **rows(bare)).content.decode()


def test_a_hidden_colour_that_is_hard_to_read_is_refused(organizer, rated):
    answer = send(organizer, rated, **rows([{**TWO_TIERS[0], "colour_dark": "#000000"}]))
    assert answer.status_code == 422
    assert "is hard to read" in answer.content.decode()


@pytest.mark.parametrize(
    ("name", "tiers", "top"), [("metals", 6, "Diamond"), ("stars", 6, "5 stars"), ("x", 8, "Nova")]
)
def test_a_named_set_fills_the_form_and_saves_nothing(organizer, rated, name, tiers, top):
    page = send(organizer, rated, show="tier-set", tier_set=name)
    filled = [form.initial for form in page.context["rows"]]
    assert page.context["scheme_form"]["tier_choice"].value() == "own"
    assert (len(filled), filled[-1]["name"]) == (tiers, top)
    assert newest(rated).version == 1
    again = {key: "" if value is None else value for key, value in filled[1].items()}
    assert send(organizer, rated, **rows([{**filled[0], "minimum": ""}, again])).status_code == 302


@pytest.fixture
def uneven(rated, monkeypatch):
    """A series that counts as large, with more than 35 % of the players in one tier and no one in others."""
    monkeypatch.setattr("web.shared.tiers.ENOUGH_PLAYERS", 2)
    monkeypatch.setattr("ratings.display.tier_shares.ENOUGH_PLAYERS", 2)
    choose_scheme(rated.pk, tiers=[dict(tier, minimum=tier["minimum"] and 9000) for tier in stored(TWO_TIERS)])
    return rated


def stored(tiers):
    return [{**tier, "minimum": int(tier["minimum"]) if tier["minimum"] else None} for tier in tiers]


def test_uneven_tiers_are_named_with_thresholds_from_the_players_and_nothing_changes(organizer, uneven):
    page = organizer.get(reverse("organize:scheme", args=[uneven]))
    text = Page(page).text
    assert "Low: 100.0 % of the players" in text
    assert "High: no players." in text
    assert "Proposed tiers, based on your players’ ratings" in text
    top, low = page.context["proposal"]
    assert (low.percent_then, top.percent_then) == (50, 50)
    desk = Page(organizer.get(reverse("organize:series", args=[uneven])))
    assert desk.links["See the proposed tiers"] == reverse("organize:scheme", args=[uneven]) + "#proposed"
    filled = send(organizer, uneven, show="proposed-tiers").context["rows"]
    assert [form.initial["minimum"] for form in filled] == [None, top.tier.minimum]
    assert newest(uneven).version == 2


def test_a_named_set_has_thresholds_from_the_players_unless_the_display_changes(organizer, uneven):
    def thresholds(**said):
        page = send(organizer, uneven, show="tier-set", tier_set="metals", **said)
        return [form.initial["minimum"] for form in page.context["rows"]]

    snapshot = snapshot_of(uneven)
    shown = snapshot.mapping.show(snapshot.index.scores).tolist()
    assert all(min(shown) - 5 <= threshold <= max(shown) + 5 for threshold in thresholds()[1:])
    assert thresholds(mapping="offset", offset="0") != thresholds()


def test_a_small_series_gets_no_proposal_and_no_warning(organizer, rated):
    page = organizer.get(reverse("organize:scheme", args=[rated]))
    assert (page.context["proposal"], page.context["uneven"]) == ([], [])


def test_an_unreachable_threshold_is_refused(organizer, rated):
    answer = send(organizer, rated, mapping="fermi", range="1000", **rows(TWO_TIERS))
    assert answer.status_code == 422
    assert "No displayed rating exceeds 1,000" in answer.content.decode()


def test_removing_all_tiers_is_refused(organizer, rated):
    answer = send(organizer, rated, **rows(TWO_TIERS, **{"tiers-0-DELETE": "on", "tiers-1-DELETE": "on"}))
    assert answer.status_code == 422
    assert "Keep at least one tier" in answer.content.decode()


@pytest.mark.parametrize("total", ["", "-1", "9" * 30, "1000"])
def test_damaged_rows_cause_no_server_error(organizer, rated, total):
    sent = rows(TWO_TIERS)
    sent |= {"tiers-TOTAL_FORMS": total, "tiers-INITIAL_FORMS": "0", "tiers-1-name": "\0"}
    for show in ({}, {"show": "tier"}, {"show": "preview"}, {"show": "fragment"}, {"show": "suited-tiers"}):
        assert send(organizer, rated, **sent, **show).status_code in (200, 422)
    assert newest(rated).version == 1


def test_without_scripts_buttons_add_a_tier_and_show_what_is_hidden(organizer, rated):
    page = send(organizer, rated, **rows(TWO_TIERS), show="tier").content.decode()
    assert page.count('name="tiers-2-name"') == 1
    assert 'value="High"' in page
    page = send(organizer, rated, tier_choice="own").content.decode()
    assert 'value="Nova"' in page, "custom tiers start as a copy of the current ones"
    page = send(
        organizer, rated, mapping="fermi", range="1000", show="suited-tiers", **rows(TWO_TIERS)
    ).content.decode()
    assert 'value="Nova"' in page
    assert 'value="980"' in page
    assert newest(rated).version == 1


def test_the_second_of_two_organizers_is_warned_and_nothing_is_lost(organizer, rated):
    choose_scheme(rated.pk, display={"mapping": "offset", "offset": 1000.0}, actor=make_user("bo"))
    said = {"mapping": "offset", "scale": "2", "reason": "for the club"}
    answer = send(organizer, rated, **said, version=1)
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "was changed by bo" in page
    assert 'value="for the club"' in page
    assert newest(rated).version == 2
    assert newest(rated).display["offset"] == 1000.0
    # What is in the form can be saved now, on purpose.
    assert send(organizer, rated, **said, version=answer.context["page"].version).status_code == 302
    assert newest(rated).version == 3


def test_looking_at_the_preview_does_not_make_an_old_form_new(organizer, rated):
    choose_scheme(rated.pk, display={"mapping": "offset", "offset": 1000.0})
    for show in ("preview", "tier", "parameters"):
        assert send(organizer, rated, mapping="offset", show=show, version=1).context["page"].version == 1


def test_a_proposal_of_two_organizers_at_once_is_refused_when_it_is_made(organizer, rated):
    address = send(organizer, rated, system="elo")["Location"]
    choose_scheme(rated.pk, display={"mapping": "offset", "offset": 1000.0}, actor=make_user("bo"))
    answer = organizer.post(address)
    assert answer.status_code == 409
    assert "was changed by bo" in answer.content.decode()
    assert newest(rated).system == "elo-mmr"


def test_a_proposal_from_an_outdated_form_is_refused_at_once(organizer, rated):
    choose_scheme(rated.pk, display={"mapping": "offset", "offset": 1000.0}, actor=make_user("bo"))
    answer = send(organizer, rated, system="elo", version=1)
    assert answer.status_code == 409
    assert "was changed by bo" in answer.content.decode()


def test_a_proposal_fits_into_an_address_or_is_refused_with_a_message(organizer, rated):
    names = [
        chr(0x1F300 + 40 * number) + "".join(chr(0x1F300 + (7 * i * number) % 900) for i in range(39))
        for number in range(30)
    ]
    tiers = [{**TWO_TIERS[0], "name": names[0]}]
    tiers += [
        {**TWO_TIERS[1], "name": name, "minimum": str(1000 + 37 * i), "symbol": chr(0x25A0 + i)}
        for i, name in enumerate(names[1:])
    ]
    reason = "".join(chr(0x430 + (i * i) % 32) for i in range(500))
    answer = send(organizer, rated, system="elo", **rows(tiers), reason=reason)
    assert answer.status_code == 422
    assert "Choose the standard tiers and save." in answer.content.decode()
    # Without the new system, the tiers are saved at once. After that, a proposal need not contain them.
    assert send(organizer, rated, **rows(tiers), reason=reason).status_code == 302
    assert len(newest(rated).tiers) == 30
    answer = send(organizer, rated, **{"elo-mmr-weight_limit": "0.3"}, **rows(tiers), reason=reason)
    assert len(answer["Location"]) < 4000
    read_change(answer["Location"].partition("change=")[2]).apply(actor=None)
    assert len(newest(rated).tiers) == 30


def test_pressing_save_twice_makes_one_version(organizer, rated):
    for _ in range(2):
        assert send(organizer, rated, mapping="offset", offset="7", version=1).status_code == 302
    assert newest(rated).version == 2


def test_the_versions_list_author_time_changes_and_reason(organizer, rated):
    send(organizer, rated, mapping="offset", offset="1000", reason="round numbers")
    send(organizer, rated, mapping="offset", offset="1000", **rows(TWO_TIERS))
    answer = organizer.get(reverse("organize:scheme", args=[rated]))
    page = Page(answer)
    assert "Version 3 current" in page.text
    assert "Displayed rating at the centre: 1,500 → 1,000" in page.text
    assert "<q><bdi>round numbers</bdi></q>" in answer.content.decode()
    assert "Tier Nova: from 2,100 → none" in page.text
    assert AuditEntry.objects.filter(action="scheme.choose", reason="round numbers").count() == 1


def test_the_versions_keep_the_name_of_a_deleted_account(organizer, rated, ida):
    choose_scheme(rated.pk, system="glicko", actor=ida)
    ida.delete()
    staff = Client()
    staff.force_login(make_user("boss", is_staff=True))
    versions = Page(staff.get(reverse("organize:scheme", args=[rated]))).text.partition("Versions")[2]
    assert "ida (account deleted)" in versions.partition("Version 1")[0]
    with pytest.raises(ContestError, match=r"changed by ida \(account deleted\) at"):
        choose_scheme(rated.pk, system="elo", version=1)


def test_a_series_that_is_not_public_answers_404_to_others(client, rated):
    rated.is_private = True
    rated.save()
    client.force_login(make_user("eve"))
    for said in ({}, {"show": "fragment"}, {"show": "preview"}):
        assert send(client, rated, mapping="offset", offset="1", **said).status_code == 404
    assert client.get(reverse("organize:scheme", args=[rated])).status_code == 404
    assert newest(rated).version == 1


def test_other_organizers_learn_whom_to_ask_and_visitors_log_in_first(client, rated):
    assert send(client, rated)["Location"].startswith(reverse("login"))
    client.force_login(make_user("eve"))
    assert send(client, rated, mapping="offset", offset="1").status_code == 403
    assert newest(rated).version == 1
    client.force_login(make_user("boss", is_staff=True))
    assert send(client, rated, mapping="offset", offset="1").status_code == 302


@pytest.mark.parametrize("size", [2, 200])
def test_the_page_takes_thirteen_queries(organizer, series, django_assert_num_queries, size):
    make_contest(series, players=size)
    rate(series)
    for number in range(size // 10):
        choose_scheme(series.pk, display={"mapping": "offset", "offset": float(number)})
    address = reverse("organize:scheme", args=[series])
    organizer.get(address)  # caches the array of ranks
    # session, user, series, right to it; scheme, run; run and scheme of the preview, its players; versions, reasons;
    # accuracy of the systems; community
    with django_assert_num_queries(13):
        organizer.get(address)


def test_a_name_is_never_markup(organizer, ida):
    series = make_series("x", name="<b>x</b>", organizer=ida)
    make_contest(series, standings=[("<i>ann</i>", 1), ("bob", 2)])
    rate(series)
    hostile = [TWO_TIERS[0], {**TWO_TIERS[1], "name": "<u>High</u>", "symbol": "<s>"}]
    send(organizer, series, **rows(hostile))
    page = organizer.get(reverse("organize:scheme", args=[series])).content.decode()
    assert "&lt;u&gt;High&lt;/u&gt;" in page
    for markup in ("<b>x", "<i>ann", "<u>High", "<s>"):
        assert markup not in page


@pytest.mark.parametrize(
    ("setting", "message"), [({"depth": 3}, "unknown parameter 'depth'"), ({"k": 11}, "k must be")]
)
def test_settings_of_a_display_are_checked_even_if_tiers_are_given(rated, setting, message):
    with pytest.raises(ContestError, match=message):
        choose_scheme(rated.pk, display={"mapping": "offset", **setting}, tiers=stored(TWO_TIERS))
    assert newest(rated).version == 1
