"""Choosing a rating system: each system with its parameters, and refusals."""

from __future__ import annotations

import pytest
from django.urls import reverse

from contests.models import Series
from ratings.default_display import default_display
from ratings.descriptions import description_of
from ratings.models import Scheme
from ratings.publishing.schemes import choose_scheme
from ratings.systems import SYSTEMS, get_system
from tests.factories import make_contest, rate
from tests.pages import Page
from tests.web.organize.forms import SERIES

pytestmark = pytest.mark.django_db

CREATE = {**SERIES, "mapping": "suited"}
CHOICE = {"mapping": "suited"}


def edit(organizer, series, **written):
    """Save the scheme's form; if that leads to a preview of the ratings, confirm it."""
    answer = organizer.post(scheme_page(series), {**CHOICE, "version": version_of(series), **written})
    if answer.status_code == 302 and answer["Location"].startswith(reverse("organize:change")):
        return organizer.post(answer["Location"], follow=True)
    return organizer.get(answer["Location"]) if answer.status_code == 302 else answer


def scheme_page(series):
    return reverse("organize:scheme", args=[series])


def version_of(series):
    scheme = Scheme.objects.newest(series.pk)
    return scheme.version if scheme else 0


def field_of(page: str, name: str) -> str:
    """Return the piece of a page from one field's label to the next one's."""
    return page.split(f'for="id_{name}"')[1].split("<label")[0]


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_can_be_chosen_and_comes_with_its_defaults_and_its_scale(organizer, club, name):
    answer = organizer.post(reverse("organize:series-create"), {**CREATE, "system": name}, follow=True)
    assert answer.status_code == 200
    scheme = Scheme.objects.get()
    assert (scheme.system, scheme.parameters) == (name, get_system(name).parameters())
    assert scheme.display == default_display(name, {})


@pytest.mark.parametrize("name", SYSTEMS)
def test_asking_for_a_system_s_parameters_shows_them_and_keeps_what_was_written(organizer, club, name):
    address = reverse("organize:series-create")
    written = {**CREATE, "name": "Zeekamp", "system": name, "is_public": "", "show": "parameters"}
    page = organizer.post(address, {key: value for key, value in written.items() if value}).content.decode()
    assert 'value="Zeekamp"' in page
    assert description_of(name).good_for.split("'")[0] in page
    (open_part,) = [
        part for part in page.split("<fieldset")[1:] if "data-system" in part and "hidden disabled" not in part[:120]
    ]
    assert f'data-system="{name}"' in open_part
    for parameter in SYSTEMS[name].PARAMETERS:
        assert f'name="{name}-{parameter.name}"' in open_part
    assert not Series.objects.filter(name="Zeekamp").exists()


def test_parameters_are_read_as_people_write_them(organizer, series):
    written = {"elo-mmr-weight_limit": " 0.3 ", "elo-mmr-noob_delay": "0.6, 0.8", "elo-mmr-split_ties": "yes"}
    edit(organizer, series, system="elo-mmr", **written)
    parameters = Scheme.objects.newest(series.pk).parameters
    assert (parameters["weight_limit"], parameters["noob_delay"], parameters["split_ties"]) == (0.3, [0.6, 0.8], True)
    assert parameters["sig_limit"] == 80.0
    edit(organizer, series, system="elo", **{"elo-curve": "gaussian", "elo-k_factor": "32"})
    scheme = Scheme.objects.newest(series.pk)
    assert (scheme.parameters["curve"], scheme.parameters["k_factor"]) == ("gaussian", 32.0)


def test_what_was_chosen_is_in_the_form_and_emptied_fields_go_back_to_the_defaults(organizer, series):
    edit(organizer, series, system="elo-mmr", **{"elo-mmr-weight_limit": "0.3", "elo-mmr-noob_delay": "0.6 0.8"})
    page = organizer.get(scheme_page(series)).content.decode()
    assert 'value="0.3"' in page
    assert 'value="0.6, 0.8"' in page
    assert '<details class="parameters" open>' in page
    edit(organizer, series, system="elo-mmr", **{"elo-mmr-weight_limit": ""})
    assert Scheme.objects.newest(series.pk).parameters == get_system("elo-mmr").parameters()


def test_saving_an_untouched_form_changes_nothing(organizer, series):
    choose_scheme(
        series.pk,
        system="elo",
        parameters={"k_factor": 16.0, "curve": "gaussian"},
        display={"mapping": "fermi", "range": 500},
    )
    page = organizer.get(scheme_page(series)).context["scheme_form"]
    chosen = next(form for form in page.of_systems if form.system == "elo")
    written = {chosen.add_prefix(name): value for name, value in chosen.initial.items()}
    edit(organizer, series, system="elo", mapping=page["mapping"].value(), range=page["range"].value(), **written)
    assert Scheme.objects.count() == 1


@pytest.mark.parametrize(
    ("system", "parameter", "text", "message"),
    [
        ("elo-mmr", "weight_limit", "-1", "a number from 0.000001 to 100"),
        ("elo-mmr", "weight_limit", "much", "a number from 0.000001 to 100"),
        ("elo-mmr", "sig_limit", "nan", "a number"),
        ("elo-mmr", "noob_delay", "0.5, 0", "numbers separated by commas, each greater than 0 and at most 100"),
        ("elo-mmr", "split_ties", "perhaps", "true or false"),
        ("elo", "curve", "cubic", "one of logistic, gaussian"),
        ("elo", "k_factor", "9" * 400, "a number"),
        ("elo", "k_factor", "9" * 501, "at most 500 characters"),
        ("kreimeier", "decay", "2", "a number from 0 to 1."),
    ],
)
def test_a_parameter_that_is_not_allowed_is_explained_beside_its_field(
    organizer, series, system, parameter, text, message
):
    answer = edit(organizer, series, system=system, **{f"{system}-{parameter}": text})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert message in field_of(page, f"{system}-{parameter}")
    assert '<details class="parameters" open>' in page
    assert not Scheme.objects.exists()


def test_an_unknown_system_is_refused(organizer, series):
    answer = edit(organizer, series, system="chess")
    assert answer.status_code == 422
    assert "chess" in answer.content.decode()
    assert not Scheme.objects.exists()


def test_a_system_that_cannot_rate_the_teams_of_a_series_is_refused_beside_the_choice(organizer, series):
    choose_scheme(series.pk, system="elo")
    make_contest(series, standings=[("ann", 1), ("bob", 2)], teams={"ann": "red", "bob": "blue"}, name="Relay")
    answer = edit(organizer, series, system="topcoder")
    assert answer.status_code == 422
    assert "“Relay” is a team contest" in field_of(answer.content.decode(), "system")
    assert Scheme.objects.newest(series.pk).system == "elo"


def test_another_system_brings_its_own_display_and_tiers(organizer, series):
    edit(organizer, series, system="elo-mmr")
    edit(organizer, series, system="ladder")
    scheme = Scheme.objects.newest(series.pk)
    assert scheme.display == default_display("ladder", {})
    assert scheme.tiers[-1]["name"] == "Leader"
    edit(organizer, series, system="elo-mmr")
    scheme = Scheme.objects.newest(series.pk)
    assert (scheme.display, scheme.tiers[-1]["name"]) == ({"mapping": "offset"}, "Nova")


def test_an_organizer_can_choose_a_display_other_than_the_default_of_the_system(organizer, series):
    edit(organizer, series, system="kreimeier", mapping="offset")
    assert Scheme.objects.newest(series.pk).display == {
        "mapping": "offset", "offset": 1500.0, "scale": 100.0, "centre": 0.0,
    }  # fmt: skip
    edit(organizer, series, system="kreimeier", mapping="fermi", range="1000")
    assert Scheme.objects.newest(series.pk).display["range"] == 1000


def test_the_form_says_before_saving_that_the_series_will_be_rated_again(organizer, series):
    page = Page(organizer.get(scheme_page(series)))
    assert "If you change the system or its parameters, Podium rates the whole series again." in page.text


def test_a_series_is_shown_under_its_old_rules_until_the_new_ones_have_rated_it(organizer, series, client):
    make_contest(series, players=4)
    rate(series)
    before = Page(client.get(reverse("leaderboard", args=[series]))).tables
    edit(organizer, series, system="ladder")
    assert Page(client.get(reverse("leaderboard", args=[series]))).tables == before
    rate(series)
    assert "10,000" in str(Page(client.get(reverse("leaderboard", args=[series]))).tables)
