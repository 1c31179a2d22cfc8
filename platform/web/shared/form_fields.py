"""Form fields that several forms use: moments in UTC, decimal numbers, versions, reasons and short names."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.formats import get_format
from django.utils.text import format_lazy, slugify
from django.utils.translation import gettext_lazy

from contests.formats.numbers import NumberColumn
from contests.plain_text import plain_text
from web.shared.numbers import decimal_text

#: Years outside this range are typing errors, and not every time zone can display them.
FIRST_YEAR, LAST_YEAR = 1800, 2200
MAX_WEIGHT = 1000
MAX_POINTS = 1_000_000
MAX_TEXT = 5_000
MAX_REASON = 500
PUBLIC_REASON_HELP = gettext_lazy(
    "Everyone who can see the contest can read this reason. Example: “Appeal upheld, see minutes of 3 May”."
)
REASON_HELP = gettext_lazy(
    "Podium shows this reason in the history and with the run. Example: “Appeal upheld, see minutes of 3 May”."
)
#: Letters that Unicode doesn't decompose into a letter of ASCII and an accent; `slugify` would drop them.
_LETTERS = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d",
     "Ð": "D", "þ": "th", "Þ": "Th", "ł": "l", "Ł": "L", "ı": "i"}
)  # fmt: skip


def slug_of(name: str) -> str:
    """Return the short name that a form proposes for a name: a to z, digits and hyphens."""
    return slugify(name.translate(_LETTERS))


class UtcInput(forms.DateTimeInput):
    """The browser's date and time picker, in UTC."""

    input_type = "datetime-local"

    def format_value(self, value: Any) -> str | None:
        if isinstance(value, datetime):
            return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S" if value.second else "%Y-%m-%dT%H:%M")
        return super().format_value(value)


class DayInput(forms.DateInput):
    """The browser's date picker, which expects ISO dates whatever the language."""

    input_type = "date"

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs, format="%Y-%m-%d")


class UtcField(forms.DateTimeField):
    """A moment. Without an offset it is taken as UTC; with one, such as 2025-05-01T20:00+02:00, it is converted."""

    widget = UtcInput
    default_error_messages = {
        "invalid": gettext_lazy("Enter a date and time as 2025-05-01T18:00 (UTC) or 2025-05-01T20:00+02:00."),
        "year": format_lazy(
            gettext_lazy("The year must be between {first} and {last}."), first=FIRST_YEAR, last=LAST_YEAR
        ),
    }

    def clean(self, value: Any) -> Any:
        try:
            moment = super().clean(value)
        except OverflowError as error:
            raise ValidationError(self.error_messages["year"], code="year") from error
        if moment is not None and not FIRST_YEAR <= moment.year <= LAST_YEAR:
            raise ValidationError(self.error_messages["year"], code="year")
        return moment


class DecimalInput(forms.TextInput):
    """A text field with a keypad for decimals: fields of type number take neither ½ nor, in most browsers, a comma."""

    def __init__(self) -> None:
        super().__init__({"inputmode": "decimal", "autocomplete": "off"})

    def format_value(self, value: Any) -> str | None:
        return decimal_text(value) if isinstance(value, int | float) else super().format_value(value)


class DecimalField(forms.FloatField):
    """
    A number such as 9.5, 9,5 or 9½, read as in files and shown in the reader's notation.

    A number such as 1,234 that can mean two numbers is refused; 1.234 is, too, if points separate thousands in the
    reader's language.
    """

    widget = DecimalInput
    default_error_messages = {
        "ambiguous": gettext_lazy("Enter %(whole)s or %(decimal)s: %(text)s can mean either."),
    }

    def to_python(self, value: Any) -> Any:
        text = str("" if value is None else value).strip()
        if not text:
            return None
        separators = "[,.]" if get_format("THOUSAND_SEPARATOR") == "." else ","
        if match := re.fullmatch(rf"([+\-\u2212]?[1-9]\d{{0,2}}){separators}(\d{{3}})", text, re.ASCII):
            whole, thousandths = match[1].replace("\u2212", "-"), match[2]
            meanings = {"whole": whole + thousandths, "decimal": decimal_text(float(f"{whole}.{thousandths}"))}
            raise ValidationError(self.error_messages["ambiguous"], code="ambiguous", params={**meanings, "text": text})
        try:
            number = NumberColumn([text], comma_is_decimal=None).parse(text)
        except ValueError:
            number = None
        if number is None:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return number


class VersionField(forms.IntegerField):
    """The version of the contest that the form shows, so that a later change by someone else is not overwritten."""

    def __init__(self) -> None:
        super().__init__(required=False, min_value=0, max_value=2**31 - 1, widget=forms.HiddenInput)


def reason_field() -> forms.CharField:
    """Return a field for the reason of a change to a contest, which a form may make required."""
    return forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON,
        required=False,
        validators=[plain_text],
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=PUBLIC_REASON_HELP,
        error_messages={"required": gettext_lazy("Enter a reason.")},
    )


class ReasonForm(forms.Form):
    """The reason of a change; stored with it and shown to everyone who reads the history."""

    version = VersionField()
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON,
        validators=[plain_text],
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=REASON_HELP,
    )


def short(value: Any) -> Any:
    """Return a whole float as an integer, so that it reads 25 instead of 25.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
