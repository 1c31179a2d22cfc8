"""A form field for each parameter of a rating system, made from the system's own description of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from ratings.descriptions import description_of
from ratings.parameter_names import as_written, label_of, same_value
from ratings.systems import SYSTEMS

if TYPE_CHECKING:
    from ratings.systems import Parameter

LONGEST_PARAMETER = 500


class ParametersForm(forms.Form):
    """The parameters of one system; an empty field means the default. Names begin with the system's own."""

    def __init__(self, system: str, data: Any = None, *, given: dict[str, Any] | None = None) -> None:
        self.system, self.described = system, description_of(system)
        # Once one has another value than its default, an organizer should see it without asking.
        self.is_open = False
        initial = {}
        for parameter in SYSTEMS[system].PARAMETERS:
            value = (given or {}).get(parameter.name, parameter.default)
            if not same_value(value, parameter.default):
                initial[parameter.name] = as_written(value)
                self.is_open = True
        super().__init__(data, prefix=system, initial=initial)
        for parameter in SYSTEMS[system].PARAMETERS:
            self.fields[parameter.name] = _parameter_field(system, parameter)
        self.is_open = self.is_open or bool(data is not None and self.errors)

    def parameters(self) -> dict[str, Any]:
        """Return what was written in a valid form, defaults left out."""
        return {name: value for name, value in self.cleaned_data.items() if value is not None}


class ParameterField(forms.CharField):
    """The text of one parameter, cleaned as the system itself cleans it; None for the default."""

    def __init__(self, system: str, parameter: Parameter, **settings: Any) -> None:
        self.system, self.parameter = system, parameter
        super().__init__(required=False, max_length=LONGEST_PARAMETER, **settings)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text:
            return None
        try:
            return self.parameter.clean(self.system, read(self.parameter, text))
        except ValueError as error:
            raise ValidationError(f"This must be {_asked(self.parameter)}.") from error


def read(parameter: Parameter, text: str) -> Any:
    """Read a parameter as people write it: 0.3; yes or no; a word; numbers apart by commas or spaces.

    ValueError for a text that is no number where one is asked for; what is allowed is for `Parameter.clean` to say.
    """
    text = text.strip()
    if parameter.kind == "number":
        return _number(text)
    if parameter.kind == "numbers":
        return [_number(part) for part in text.strip("[]()").replace(",", " ").replace(";", " ").split()]
    if parameter.kind == "flag":
        return {"true": True, "yes": True, "false": False, "no": False}.get(text.casefold(), text)
    return text.strip("\"'")


def _parameter_field(system: str, parameter: Parameter) -> forms.Field:
    if parameter.kind == "number":
        widget: forms.Widget = forms.TextInput(attrs={"inputmode": _keys(parameter), "autocomplete": "off"})
    elif parameter.kind == "numbers":
        widget = forms.TextInput(attrs={"autocomplete": "off"})
    else:
        widget = forms.Select(choices=_choices(parameter))
    if isinstance(widget, forms.TextInput):
        widget.attrs["placeholder"] = _default(parameter)
    return ParameterField(
        system,
        parameter,
        label=label_of(parameter),
        widget=widget,
        help_text=f"{parameter.description} {_range(parameter)}",
    )


def _asked(parameter: Parameter) -> str:
    if parameter.kind in ("flag", "choice"):
        return parameter.allowed
    numbers = "numbers apart by commas, each" if parameter.kind == "numbers" else "a number"
    return f"{numbers} {_bounds(parameter)}"


def _keys(parameter: Parameter) -> str:
    """Name the keys that a phone should offer: some of its keyboards for numbers have no minus."""
    return "decimal" if parameter.minimum >= 0 else "text"


def _choices(parameter: Parameter) -> list[tuple[str, str]]:
    words = ("no", "yes") if parameter.kind == "flag" else parameter.choices
    default = as_written(parameter.default)
    others = [(word, word.capitalize()) for word in words if word != default]
    return [("", f"{default.capitalize()} (default)"), *others]


def _range(parameter: Parameter) -> str:
    if parameter.kind in ("flag", "choice"):
        return ""
    default = _default(parameter)
    unit = f" {parameter.unit}" if parameter.unit and default != "none" else ""
    each = "Numbers apart by commas, each" if parameter.kind == "numbers" else "Allowed:"
    return f"{each} {_bounds(parameter)}. Default: {default}{unit}."


def _bounds(parameter: Parameter) -> str:
    low = f"{'from' if parameter.inclusive[0] else 'more than'} {_in_full(parameter.minimum)}"
    high = f"{'to' if parameter.inclusive[1] else 'to less than'} {_in_full(parameter.maximum)}"
    return f"{low} {high}"


def _in_full(value: float) -> str:
    """Write a bound without an exponent, which not everyone reads."""
    return f"{value:,.10f}".rstrip("0").rstrip(".").replace("-", "\u2212")


def _default(parameter: Parameter) -> str:
    if isinstance(parameter.default, float):
        # Rounded for the eye: an empty field means the default itself.
        return f"{parameter.default:.4g}" if abs(parameter.default) < 1000 else f"{parameter.default:.10g}"
    return as_written(parameter.default) or "none"


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no finite number")
    return number
