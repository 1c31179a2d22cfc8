"""Fields that several forms share."""

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import override

from web.shared.form_fields import DecimalField, slug_of
from web.shared.numbers import decimal_text


class ScoreForm(forms.Form):
    score = DecimalField(required=False, min_value=-10)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("9.5", 9.5), ("9,5", 9.5), ("4½", 4.5), ("½", 0.5), (" 7 ", 7.0), ("\u22120,25", -0.25), ("1234,5", 1234.5),
        ("1,234.5", 1234.5), ("1.234,5", 1234.5), ("0,125", 0.125), ("0.125", 0.125), ("", None),
    ],
)  # fmt: skip
def test_decimals_are_read_with_point_comma_or_half(language, text, number):
    with override(language):
        assert DecimalField(required=False).clean(text) == number


@pytest.mark.parametrize(
    ("language", "text", "message"),
    [
        ("en", "1,234", "Enter 1234 or 1.234: 1,234 can mean either."),
        ("en", "-12,500", "Enter -12500 or -12.5: -12,500 can mean either."),
        ("en", "nan", "Enter a number."),
        ("en", "-", "Enter a number."),
        ("en", "nine", "Enter a number."),
        ("en", "1e999", "Enter a number."),
    ],
)
def test_what_is_no_number_or_could_be_two_is_refused(language, text, message):
    with override(language), pytest.raises(ValidationError) as refused:
        DecimalField().clean(text)
    assert refused.value.messages == [message]


def test_points_are_ambiguous_only_if_they_separate_thousands_in_the_language():
    assert DecimalField().clean("1.234") == 1.234
    with override("de"), pytest.raises(ValidationError, match=r"1234.*1,2340.*1\.234"):
        DecimalField().clean("1.234")


@pytest.mark.parametrize("number", [9.5, 30, 30.0, 1.234, -12.567, 0.1 + 0.2, 1e-7, 123456.789, 1e20, 999_999.5])
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_number_that_is_shown_is_read_as_the_same_number(language, number):
    with override(language):
        assert DecimalField().clean(decimal_text(number)) == number
        assert not DecimalField().has_changed(number, decimal_text(number))


def test_the_input_is_a_text_in_the_readers_notation():
    assert 'value="9.5"' in str(ScoreForm(initial={"score": 9.5})["score"])
    with override("de"):
        html = str(ScoreForm(initial={"score": 9.5})["score"])
    for attribute in ('type="text"', 'inputmode="decimal"', 'value="9,5"'):
        assert attribute in html
    assert ScoreForm({"score": "-11"}).errors
    assert 'value="nine"' in str(ScoreForm({"score": "nine"})["score"]), "what was typed stays"


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Schachklub Müßiggang", "schachklub-mussiggang"), ("Łódź Open", "lodz-open"), ("Ærø Cup", "aero-cup"),
        ("Harbour Cup 2026!", "harbour-cup-2026"), ("日本", ""),
    ],
)  # fmt: skip
def test_short_names_keep_letters_that_are_not_accented(name, slug):
    assert slug_of(name) == slug
