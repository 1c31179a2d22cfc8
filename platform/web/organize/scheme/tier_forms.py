"""The tiers of a series as rows of a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from contests.plain_text import plain_text
from contests.whole_numbers import whole_number_of
from ratings.display import Tier, contrast, tiers_from_list
from ratings.display.tiers import DARK_PAGE, LIGHT_PAGE, MINIMUM_CONTRAST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ratings.display import Tiers

MOST_TIERS = 30
_FARTHEST = 1_000_000_000
PREFIX = "tiers"
#: What a new row begins with: colours that can be read on both pages.
_NEW = {"colour_light": "#4b5361", "colour_dark": "#b3bac6"}


class ColourField(forms.CharField):
    """A colour "#rrggbb" that can be read as text on a page of the given colour."""

    def __init__(self, page: str, **settings: Any) -> None:
        self.page = page
        super().__init__(widget=forms.TextInput(attrs={"type": "color"}), **settings)

    def clean(self, value: Any) -> str:
        colour = str(super().clean(value)).lower()
        try:
            ratio = contrast(colour, self.page)
        except ValueError as error:
            raise ValidationError("This is no colour; write it as #1a2b3c.") from error
        if len(colour) != 7 or not colour.startswith("#"):
            raise ValidationError("This is no colour; write it as #1a2b3c.")
        if ratio < MINIMUM_CONTRAST:
            which, remedy = ("light", "darker") if self.page == LIGHT_PAGE else ("dark", "lighter")
            raise ValidationError(
                f"On the {which} page this has a contrast of {ratio:.1f} : 1, and text needs {MINIMUM_CONTRAST} : 1; "
                f"take a {remedy} one."
            )
        return colour


class TierForm(forms.Form):
    """One tier; the lowest has no threshold."""

    name = forms.CharField(max_length=40, validators=[plain_text])
    minimum = forms.IntegerField(
        label="From",
        required=False,
        min_value=-_FARTHEST,
        max_value=_FARTHEST,
        widget=forms.NumberInput(attrs={"placeholder": "lowest"}),
    )
    symbol = forms.CharField(max_length=4, validators=[plain_text], widget=forms.TextInput(attrs={"size": 2}))
    colour_light = ColourField(LIGHT_PAGE, label="Colour on the light page")
    colour_dark = ColourField(DARK_PAGE, label="Colour on the dark page")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                Tier(**self.tier())
            except ValueError as error:
                raise ValidationError(f"{error}.") from error
        return cleaned

    def tier(self) -> dict[str, Any]:
        """Return what a valid row says, as `tiers_from_list` reads it."""
        return {name: self.cleaned_data[name] for name in ("name", "minimum", "colour_light", "colour_dark", "symbol")}


class _Rows(forms.BaseFormSet):
    """Tiers in any order: they are put in the order of their thresholds."""

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Take no row for one that nobody meant."""
        return {**super().get_form_kwargs(index), "empty_permitted": False}

    def clean(self) -> None:
        rows = [form for form in self.kept() if form.is_valid()]
        for what, question in (("name", "name"), ("symbol", "symbol"), ("minimum", "threshold")):
            seen: set[object] = set()
            for form in rows:
                if what not in form.cleaned_data:
                    continue
                value = form.cleaned_data[what]
                value = value.casefold() if isinstance(value, str) else value
                if value in seen:
                    said = "no threshold" if value is None else f"this {question}"
                    remedy = "only the lowest has none" if value is None else "each needs its own"
                    form.add_error(what, f"Another tier has {said} too; {remedy}.")
                seen.add(value)
        if any(not form.is_valid() for form in self.kept()):
            return
        if not rows:
            raise ValidationError("Keep at least one tier.")
        if all(form.cleaned_data["minimum"] is not None for form in rows):
            lowest = min(rows, key=lambda form: form.cleaned_data["minimum"])
            lowest.add_error("minimum", "The lowest tier has no threshold: it holds all below the next. Empty this.")

    def kept(self) -> list[TierForm]:
        """Return the rows that nobody has ticked to be removed."""
        return [form for form in self.forms if not form.cleaned_data.get("DELETE")]

    def refuse_above(self, range_: float) -> None:
        """Mark the thresholds that nobody can reach, as nobody is shown more than this."""
        for form in self.kept():
            if (form.cleaned_data.get("minimum") or 0) > range_:
                form.add_error("minimum", f"Nobody is ever shown more than {range_:,.0f}; take a lower threshold.")

    def tiers(self) -> Tiers:
        """Return what valid rows say, the lowest first; ValueError says what is not allowed."""
        rows = [form.tier() for form in self.kept()]
        return tiers_from_list(sorted(rows, key=lambda row: (row["minimum"] is not None, row["minimum"] or 0)))


def tier_rows(tiers: Sequence[Mapping[str, Any]], *, more: int = 0) -> Any:
    """Return a form with these tiers, and as many empty rows."""
    rows = [dict(tier) for tier in tiers][:MOST_TIERS]
    rows += [dict(_NEW)] * min(more, MOST_TIERS - len(rows))
    return _of(0)(initial=rows, prefix=PREFIX)


def written_rows(data: Mapping[str, Any]) -> Any:
    """Return the rows that someone has filled in, to be checked."""
    return _of(0)(data, prefix=PREFIX)


def has_rows(data: Mapping[str, Any]) -> bool:
    """Whether a form was sent with its rows, which are hidden where tiers are those that suit."""
    return f"{PREFIX}-TOTAL_FORMS" in data


def as_written(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows as someone has filled them in so far, neither checked nor those to be removed."""
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
