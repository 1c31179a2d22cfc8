"""The rows of the form of a rating scheme's tiers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy, pgettext

from contests.plain_text import plain_text
from contests.whole_numbers import whole_number_of
from contests.wording import grouped
from ratings.display import Tier, tiers_from_list
from ratings.display.colours import DARK_PAGE, LIGHT_PAGE, MINIMUM_CONTRAST, contrast, for_both_themes
from ratings.display.tier_sets import SHAPES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ratings.display import Tiers

MOST_TIERS = 30
_FARTHEST = 1_000_000_000
PREFIX = "tiers"
#: The colours of a new row, readable on light and dark pages.
_NEW = {"colour_light": "#4b5361", "colour_dark": "#b3bac6"}


class ColourField(forms.CharField):
    """A colour "#rrggbb"; if a page is given, it is readable as text on that page."""

    def __init__(self, page: str | None = None, **settings: Any) -> None:
        self.page = page
        super().__init__(**settings)

    def clean(self, value: Any) -> str:
        colour = str(super().clean(value)).lower()
        if not colour and not self.required:
            return ""
        if not re.fullmatch("#[0-9a-f]{6}", colour):
            raise ValidationError(gettext("This is not a valid colour. Enter it as #1a2b3c."))
        if self.page is not None and contrast(colour, self.page) < MINIMUM_CONTRAST:
            raise ValidationError(
                gettext("Text in the colour %(colour)s is hard to read on %(page)s. Choose another colour.")
                % {"colour": colour, "page": self.page}
            )
        return colour


class TierForm(forms.Form):
    """One tier; the lowest has no threshold."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=40, validators=[plain_text])
    minimum = forms.IntegerField(
        label=gettext_lazy("Threshold"),
        required=False,
        min_value=-_FARTHEST,
        max_value=_FARTHEST,
        widget=forms.NumberInput(attrs={"placeholder": gettext_lazy("none")}),
    )
    symbol = forms.CharField(max_length=4, label=gettext_lazy("Shape"), validators=[plain_text], widget=forms.Select())
    colour = ColourField(label=gettext_lazy("Colour"), widget=forms.TextInput(attrs={"type": "color"}), required=False)
    #: The tier's present colours. They stay unless the organizer picks another colour, so the form sends both.
    colour_light = ColourField(LIGHT_PAGE, widget=forms.HiddenInput(), required=False)
    colour_dark = ColourField(DARK_PAGE, widget=forms.HiddenInput(), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("colour", self.initial.get("colour_light"))
        symbol = self["symbol"].value()
        shapes = SHAPES if not symbol or symbol in SHAPES else (symbol, *SHAPES)
        widget = self.fields["symbol"].widget
        assert isinstance(widget, forms.Select)
        widget.choices = [("", pgettext("symbol", "None")), *((shape, shape) for shape in shapes)]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        colour, light, dark = (cleaned.get(name, "") for name in ("colour", "colour_light", "colour_dark"))
        if colour and (colour != light or not dark):
            cleaned["colour_light"], cleaned["colour_dark"] = for_both_themes(colour)
        elif not self.errors and not (light and dark):
            self.add_error("colour", gettext("Choose a colour."))
        if not self.errors:
            try:
                Tier(**self.tier())
            except ValueError as error:
                raise ValidationError(f"{error}.") from error
        return cleaned

    def tier(self) -> dict[str, Any]:
        """Return the tier of a valid row, as `tiers_from_list` reads it."""
        return {name: self.cleaned_data[name] for name in ("name", "minimum", "colour_light", "colour_dark", "symbol")}


#: The errors of two tiers that share a value.
_TWICE = {
    "name": gettext_lazy("Another tier also has this name. Each tier needs its own."),
    "symbol": gettext_lazy("Another tier also has this symbol. Each tier needs its own."),
    "minimum": gettext_lazy("Another tier also has this threshold. Each tier needs its own."),
}
_NO_THRESHOLD_TWICE = gettext_lazy("Another tier also has no threshold. Only the lowest can have none.")


class _Rows(forms.BaseFormSet):
    """Tiers in any order, which `tiers` sorts by their thresholds."""

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Require every row, because an empty row is a mistake and must not be ignored."""
        return {**super().get_form_kwargs(index), "empty_permitted": False}

    def clean(self) -> None:
        rows = [form for form in self.kept() if form.is_valid()]
        for what, refusal in _TWICE.items():
            seen: set[object] = set()
            for form in rows:
                if what not in form.cleaned_data:
                    continue
                value = form.cleaned_data[what]
                value = value.casefold() if isinstance(value, str) else value
                if value in seen:
                    form.add_error(what, refusal if value is not None else _NO_THRESHOLD_TWICE)
                seen.add(value)
        if any(not form.is_valid() for form in self.kept()):
            return
        if not rows:
            raise ValidationError(gettext("Keep at least one tier."))
        if all(form.cleaned_data["minimum"] is not None for form in rows):
            lowest = min(rows, key=lambda form: form.cleaned_data["minimum"])
            lowest.add_error("minimum", gettext("The lowest tier has no threshold. Clear this field."))

    def kept(self) -> list[TierForm]:
        """Return the rows that are not marked for removal."""
        return [form for form in self.forms if not form.cleaned_data.get("DELETE")]

    def refuse_above(self, range_: float) -> None:
        """Add errors to thresholds above the greatest displayed rating."""
        for form in self.kept():
            if (form.cleaned_data.get("minimum") or 0) > range_:
                form.add_error(
                    "minimum",
                    gettext("No displayed rating exceeds %(range_)s. Enter a lower threshold.")
                    % {"range_": grouped(round(range_))},
                )

    def tiers(self) -> Tiers:
        """Return the tiers of valid rows, lowest first; raise ValueError if they are not allowed."""
        rows = [form.tier() for form in self.kept()]
        return tiers_from_list(sorted(rows, key=lambda row: (row["minimum"] is not None, row["minimum"] or 0)))


def tier_rows(tiers: Sequence[Mapping[str, Any]], *, more: int = 0) -> Any:
    """Return a form with these tiers, and as many empty rows."""
    rows = [dict(tier) for tier in tiers][:MOST_TIERS]
    rows += [dict(_NEW)] * min(more, MOST_TIERS - len(rows))
    return _of(0)(initial=rows, prefix=PREFIX)


def written_rows(data: Mapping[str, Any]) -> Any:
    """Return a bound formset with the posted rows."""
    return _of(0)(data, prefix=PREFIX)


def has_rows(data: Mapping[str, Any]) -> bool:
    """Return whether the posted form has rows of tiers, which are hidden for the standard tiers."""
    return f"{PREFIX}-TOTAL_FORMS" in data


def as_written(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the posted rows unchecked, without those marked for removal."""
    total = min(whole_number_of(str(data.get(f"{PREFIX}-TOTAL_FORMS", "")), most=999) or 0, MOST_TIERS)
    return [
        {name: data.get(f"{PREFIX}-{number}-{name}", "") for name in TierForm.base_fields}
        for number in range(total)
        if not data.get(f"{PREFIX}-{number}-DELETE")
    ]


def _of(extra: int) -> Any:
    return forms.formset_factory(
        TierForm,
        formset=_Rows,
        extra=extra,
        can_delete=True,
        max_num=MOST_TIERS,
        absolute_max=2 * MOST_TIERS,
        validate_max=True,
    )
