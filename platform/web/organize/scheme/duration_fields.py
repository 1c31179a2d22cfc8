"""The fields of a rating scheme that make long contests count more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ratings.systems.duration import BOUNDS, DurationWeight

if TYPE_CHECKING:
    from ratings.models import Scheme
    from ratings.systems import RatingSystem

GROWS = "duration"
_CHOICES = [
    ("none", gettext_lazy("The same for all durations")),
    (GROWS, gettext_lazy("Grows with the duration: longer contests count more")),
]
#: Fields by the name of the rule, with label and help.
_NUMBERS = {
    "hours": (
        gettext_lazy("Reference duration (hours)"),
        gettext_lazy("A contest of this duration keeps its weight; longer ones count more. Leave empty to use 2."),
    ),
    "exponent": (
        gettext_lazy("Exponent of the duration"),
        gettext_lazy(
            "How much the duration matters: with 1, a contest of four times the duration counts four times as much; "
            "with 0.5, twice as much. Leave empty to use 0.5."
        ),
    ),
    "minimum": (
        gettext_lazy("Minimum weight factor"),
        gettext_lazy(
            "The weight of a contest is multiplied by at least this factor, however short the contest is. Leave empty "
            "to use 0.25."
        ),
    ),
    "maximum": (
        gettext_lazy("Maximum weight factor"),
        gettext_lazy(
            "The weight of a contest is multiplied by at most this factor, however long the contest is. Leave empty "
            "to use 4."
        ),
    ),
}


def _number(name: str) -> forms.FloatField:
    (label, help_text), (least, most) = _NUMBERS[name], BOUNDS[name]
    widget = forms.NumberInput(attrs={"step": "any"})
    return forms.FloatField(
        label=label, help_text=help_text, min_value=least, max_value=most, widget=widget, required=False
    )


class DurationFields(forms.Form):
    """The weight of contests by their duration; an empty number means the default."""

    duration_choice = forms.ChoiceField(
        label=gettext_lazy("Weight of a contest"),
        choices=_CHOICES,
        widget=forms.RadioSelect,
        initial="none",
        required=False,
        help_text=gettext_lazy(
            "The duration is the time from the start to the end of a contest. Contests without a start keep their "
            "weight. If you change this, Podium rates the series again."
        ),
    )
    duration_hours = _number("hours")
    duration_exponent = _number("exponent")
    duration_minimum = _number("minimum")
    duration_maximum = _number("maximum")

    @property
    def duration_fields(self) -> list[forms.BoundField]:
        return [self[f"duration_{name}"] for name in _NUMBERS]

    def check_duration(self, system: RatingSystem) -> None:
        """Add an error to a valid form if the rating system ignores weights."""
        if self.cleaned_data.get("duration_choice") == GROWS and not system.uses_weights:
            message = _("This rating system ignores the weights of contests. Choose “The same for all durations”.")
            self.add_error("duration_choice", message)

    def duration_weight(self) -> dict[str, Any] | None:
        """Return the rules in a valid form, as `choose_scheme` takes them."""
        said = self.cleaned_data
        if not said.get("duration_choice"):
            return None
        if said["duration_choice"] != GROWS:
            return {}
        given = {name: said[f"duration_{name}"] for name in _NUMBERS if said.get(f"duration_{name}") is not None}
        return DurationWeight(**given).to_dict()


def duration_as_chosen(scheme: Scheme) -> dict[str, Any]:
    """Return the initial values for a scheme, without numbers that equal the defaults."""
    rules, usual = scheme.duration_rules, DurationWeight()
    if rules is None:
        return {}
    own = {name: getattr(rules, name) for name in _NUMBERS if getattr(rules, name) != getattr(usual, name)}
    return {"duration_choice": GROWS, **{f"duration_{name}": value for name, value in own.items()}}
