"""Rating parameters and countries are named in the language of the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.utils.translation import override

from ratings.descriptions import LABELS, label_of, unit_of, value_in_words, words_of
from ratings.queries.filters import alphabetical, country_name
from ratings.systems import SYSTEMS

CATALOGUE = Path(__file__).resolve().parents[2] / "locale" / "de" / "LC_MESSAGES" / "django.po"
PARAMETERS = [(system, one) for system in SYSTEMS for one in SYSTEMS[system].PARAMETERS]


@pytest.mark.parametrize(("system", "parameter"), PARAMETERS, ids=lambda one: getattr(one, "name", one))
def test_all_texts_of_a_parameter_are_in_the_catalogue(system, parameter):
    with CATALOGUE.open("rb") as file:
        texts = {message.id for message in read_po(file)}
    assert parameter.name in LABELS
    said = {parameter.label or LABELS[parameter.name], parameter.description, parameter.unit, *parameter.choices} - {
        "",
        "K",
    }
    assert said - texts == set()


def test_labels_units_and_descriptions_come_in_the_language_of_the_page():
    drift = next(one for _, one in PARAMETERS if one.name == "drift_per_day")
    assert (label_of(drift), unit_of(drift)) == ("Drift per day", "rating points squared per day")
    with override("de"):
        assert label_of(drift) == "Drift je Tag"
        assert unit_of(drift) == "Wertungspunkte zum Quadrat je Tag"
        assert words_of(drift).startswith("Varianz")


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (0.35, "0.35", "0,35"),
        (350.0, "350", "350"),
        (25 / 3, "8.33333", "8,33333"),
        ((0.6, 1.0), "0.6, 1", "0,6; 1"),
        ((), "none", "keine"),
        (True, "yes", "ja"),
        ("gaussian", "gaussian", "gaußsch"),
    ],
)
def test_values_are_written_as_readers_of_the_language_write_them(value, english, german):
    assert value_in_words(value) == english
    with override("de"):
        assert value_in_words(value) == german


def test_countries_are_named_and_sorted_in_the_language_of_the_page():
    assert country_name("AT") == "Austria"
    with override("de"):
        names = [country_name(code) for code in ("PL", "AT", "NO", "ZW")]
        assert sorted(names, key=alphabetical) == ["Norwegen", "Österreich", "Polen", "Simbabwe"]
