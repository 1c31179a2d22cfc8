"""Forms for a rating scheme: the system, a field for each of its parameters, and the display."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.formats import get_format
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy

from ratings.default_display import default_display, suitable_display, suitable_tiers
from ratings.descriptions import (
    K_LABEL,
    as_written,
    description_of,
    label_of,
    same_value,
    value_in_words,
)
from ratings.display import DEFAULT_MAPPING, MAPPINGS, conservative_factor, mapping_from_dict
from ratings.systems import DEFAULT_SYSTEM, SYSTEMS, get_system
from web.shared.form_fields import short
from web.shared.numbers import localized

if TYPE_CHECKING:
    from collections.abc import Mapping as Dictionary

    from django.forms import BoundField

    from ratings.display import Part
    from ratings.models import Scheme
    from ratings.systems import Parameter


LONGEST_PARAMETER = 500


class ParametersForm(forms.Form):
    """The parameters of one system; an empty field means the default. Field names begin with the system's name."""

    def __init__(self, system: str, data: Any = None, *, given: dict[str, Any] | None = None) -> None:
        self.system, self.described = system, description_of(system)
        # A value other than the default should be visible without opening the section.
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
        """Return the parameters in a valid form, without defaults."""
        return {name: value for name, value in self.cleaned_data.items() if value is not None}


class ParameterField(forms.CharField):
    """The text of one parameter, cleaned by the system's own rules; None for the default."""

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
            raise ValidationError(_requirement(self.parameter)) from error


def read(parameter: Parameter, text: str) -> Any:
    """
    Read a parameter as people write it: 0.3; yes or no; a word; numbers separated by commas or spaces.

    ValueError for a text that is not a number where the parameter is one. `Parameter.clean` checks the range.
    """
    text = text.strip()
    if parameter.kind == "number":
        return _number(text.replace(get_format("DECIMAL_SEPARATOR"), "."))
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
        help_text=f"{gettext(parameter.description)} {_range(parameter)}",
    )


def _requirement(parameter: Parameter) -> str:
    if parameter.kind == "flag":
        return gettext("This must be true or false.")
    if parameter.kind == "choice":
        return gettext("This must be one of %(words)s.") % {"words": ", ".join(map(value_in_words, parameter.choices))}
    if parameter.kind == "numbers":
        return gettext("Enter numbers separated by commas, each %(bounds)s.") % {"bounds": _bounds(parameter)}
    return gettext("This must be a number %(bounds)s.") % {"bounds": _bounds(parameter)}


def _keys(parameter: Parameter) -> str:
    """Return the keyboard that a phone should offer: some of its number pads have no minus."""
    return "decimal" if parameter.minimum >= 0 else "text"


def _choices(parameter: Parameter) -> list[tuple[str, str]]:
    words = ("no", "yes") if parameter.kind == "flag" else parameter.choices
    default = as_written(parameter.default)
    others = [(word, capfirst(_word(word))) for word in words if word != default]
    return [("", gettext("%(value)s (default)") % {"value": capfirst(_word(default))}), *others]


def _word(word: str) -> str:
    """Return a flag or a choice in the page's language."""
    return value_in_words(word == "yes") if word in ("yes", "no") else value_in_words(word)


def _range(parameter: Parameter) -> str:
    if parameter.kind in ("flag", "choice"):
        return ""
    default = _default(parameter)
    unit = parameter.unit.removesuffix("s") if default == "1" else parameter.unit
    unit = gettext(unit) if unit else ""
    with_unit = f"{default} {unit}" if unit and as_written(parameter.default) else default
    texts = {"bounds": _bounds(parameter), "default": with_unit}
    if parameter.kind == "numbers":
        return gettext("Numbers separated by commas, each %(bounds)s. Default: %(default)s.") % texts
    return gettext("Allowed: %(bounds)s. Default: %(default)s.") % texts


def _bounds(parameter: Parameter) -> str:
    limits = {"low": _in_full(parameter.minimum), "high": _in_full(parameter.maximum)}
    texts = {
        (True, True): gettext("from %(low)s to %(high)s"),
        (True, False): gettext("at least %(low)s and less than %(high)s"),
        (False, True): gettext("greater than %(low)s and at most %(high)s"),
        (False, False): gettext("greater than %(low)s and less than %(high)s"),
    }
    return texts[parameter.inclusive] % limits


def _in_full(value: float) -> str:
    """Return a bound without an exponent, which is hard to read."""
    return localized(f"{value:,.10f}".rstrip("0").rstrip(".").replace("-", "\u2212"))


def _default(parameter: Parameter) -> str:
    if isinstance(parameter.default, float):
        # Rounded only here: an empty field means the exact default.
        text = f"{parameter.default:.4g}" if abs(parameter.default) < 1000 else f"{parameter.default:.10g}"
        return localized(text)
    return as_written(parameter.default) or gettext("none")


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number


SUITED = "suited"
_TIERS = [(SUITED, gettext_lazy("Podium’s standard tiers")), ("own", gettext_lazy("My own tiers"))]


@dataclass(frozen=True, slots=True)
class MappingFields:
    """The fields of one mapping, shown while the mapping is chosen."""

    name: str
    legend: str
    formula: str
    follows_players: bool
    fields: list[BoundField]


def parts_by_field() -> dict[str, tuple[str, Part]]:
    """
    Return the mapping and the part of each field, by the name of the field.

    A field has the name of its part, prefixed with the mapping if the name is already taken.
    """
    found: dict[str, tuple[str, Part]] = {}
    taken = set(SchemeForm.base_fields)
    for mapping in MAPPINGS.values():
        for part in mapping.PARTS:
            name = f"{mapping.name}_{part.name}" if part.name in taken | set(found) else part.name
            found[name] = (mapping.name, part)
    return found


def _display_field(part: Part) -> forms.Field:
    """Return the field of one number of a display; empty for the default of the rating system."""
    settings: dict[str, Any] = {"label": gettext(part.label), "help_text": gettext(part.help), "required": False}
    if part.is_whole:
        return forms.IntegerField(min_value=int(part.minimum), max_value=int(part.maximum), **settings)
    widget = forms.NumberInput(attrs={"step": "any"})
    return forms.FloatField(min_value=part.minimum, max_value=part.maximum, widget=widget, **settings)


class SchemeForm(forms.Form):
    """
    The rating system of a series with its parameters, and the display; an empty number means the system's default.

    measured
        Whether a run has measured the centre and spread of the pool, so that a fixed range needs neither field.
    scheme
        The current one, if there is one.
    written
        Posted values to show again without checking or saving them, with the parameters of another system.
    """

    system = forms.ChoiceField(
        label=gettext_lazy("Rating system"),
        initial=DEFAULT_SYSTEM,
        help_text=gettext_lazy("If you change the system or its parameters, Podium rates the whole series again."),
    )
    mapping = forms.ChoiceField(
        label=gettext_lazy("Display format"),
        widget=forms.RadioSelect,
        initial=SUITED,
        help_text=gettext_lazy("A change takes effect at once. Podium does not need to rate the series again."),
    )
    k = forms.FloatField(
        label=gettext_lazy(K_LABEL),
        required=False,
        min_value=0,
        max_value=10,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=gettext_lazy(
            "Podium ranks and displays players by their estimated rating minus this many standard "
            "deviations. In Elo-MMR and its variants, only the part of the deviation above the long-run uncertainty "
            "counts. With 0, Podium shows the estimate itself. With 3, it shows a conservative number that "
            "rises as the uncertainty falls. If you change it, Podium rates the series again."
        ),
    )
    tier_choice = forms.ChoiceField(
        label=gettext_lazy("Tiers"), choices=_TIERS, widget=forms.RadioSelect, initial=SUITED, required=False
    )

    def __init__(
        self,
        data: Dictionary[str, Any] | None = None,
        *,
        scheme: Scheme | None = None,
        written: Any = None,
        measured: bool = False,
    ) -> None:
        self.scheme = scheme
        self.parts = parts_by_field()
        initial: dict[str, Any] = _initial_of(scheme) if scheme is not None else {}
        if written is not None:
            initial |= {name: written[name] for name in (*self.base_fields, *self.parts) if name in written}
        super().__init__(data, initial=initial)
        system = self.fields["system"]
        assert isinstance(system, forms.ChoiceField)
        system.choices = [(name, description_of(name).title) for name in SYSTEMS]
        mapping = self.fields["mapping"]
        assert isinstance(mapping, forms.ChoiceField)
        mapping.choices = [
            (SUITED, gettext("Recommended for the rating system")),
            *((name, gettext(kind.title)) for name, kind in MAPPINGS.items()),
        ]
        asked = {name: part for name, (_, part) in self.parts.items() if not (measured and part.is_measured)}
        self.fields |= {name: _display_field(part) for name, part in asked.items()}
        self.order_fields(["system", "mapping", *asked])
        self.of_systems = [self._of_system(name, data, written) for name in SYSTEMS]

    @property
    def chosen_system(self) -> str:
        """The system whose parameters are shown; the default for an unknown one."""
        name = self["system"].value()
        return name if name in SYSTEMS else DEFAULT_SYSTEM

    @property
    def mappings(self) -> list[MappingFields]:
        """The fields of each mapping, without the numbers that the last run measured."""
        fields = {
            name: [
                self[field] for field, (mapping, _) in self.parts.items() if mapping == name and field in self.fields
            ]
            for name in MAPPINGS
        }
        return [
            MappingFields(
                name,
                capfirst(gettext(kind.kind)),
                kind.formula and gettext(kind.formula),
                kind.follows_players(),
                fields[name],
            )
            for name, kind in MAPPINGS.items()
        ]

    @property
    def main_fields(self) -> list[tuple[str, BoundField]]:
        """The fields in the short form of a new series, each with the mapping to which it belongs."""
        return [(mapping, self[field]) for field, (mapping, part) in self.parts.items() if part.is_main]

    @property
    def mapping_names(self) -> str:
        """The names of all mappings, separated by spaces."""
        return " ".join(MAPPINGS)

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of a valid form that differ from their defaults."""
        return self._chosen().parameters()

    def display(self) -> dict[str, Any]:
        """Return the display of a valid form: the current one if it is equivalent."""
        said = self.cleaned_data
        system, parameters = said["system"], self.parameters()
        if said["mapping"] == SUITED:
            return default_display(system, parameters)
        suited = suitable_display(said["mapping"], system, parameters)
        old = self._old_display(said["mapping"])
        made = dict(suited)
        for field, (mapping, part) in self.parts.items():
            if mapping != said["mapping"]:
                continue
            if field not in self.fields:
                made |= {part.name: old[part.name]} if part.name in old else {}
            elif said.get(field) is not None:
                made[part.name] = said[field]
        if said.get("k") is not None:
            made["k"] = said["k"]
        return next((same for same in (old, suited) if same and _are_equivalent(same, made)), made)

    def has_own_tiers(self) -> bool:
        """Return whether a valid form chooses its own tiers instead of the recommended ones."""
        return self.cleaned_data.get("tier_choice") == "own"

    def suited_tiers(self) -> list[dict[str, Any]]:
        """Return the standard tiers for a valid form."""
        system = get_system(self.cleaned_data["system"], **self.parameters())
        return suitable_tiers(system.name, system.parameters(), self.display()).to_list()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "system" not in cleaned:
            return cleaned
        if not self._chosen().is_valid():
            raise ValidationError(gettext("Fix the parameters of the rating system below."), code="parameters")
        if cleaned.get("k") and SYSTEMS[cleaned["system"]].sigma_means == "nothing":
            title = description_of(cleaned["system"]).title
            self.add_error(
                "k",
                gettext("%(title)s has no standard deviation to subtract. Leave this field empty.") % {"title": title},
            )
        try:
            get_system(cleaned["system"], **self.parameters())
            if "mapping" in cleaned and not self.errors:
                mapping_from_dict(self.display())
        except ValueError as error:
            raise ValidationError(f"{error}.") from error
        return cleaned

    def _old_display(self, mapping: str) -> dict[str, Any]:
        """Return the current display if it has this mapping and the chosen system."""
        if self.scheme is None or self.scheme.system != self.cleaned_data["system"]:
            return {}
        return self.scheme.display if self.scheme.display.get("mapping") == mapping else {}

    def _chosen(self) -> ParametersForm:
        return next(form for form in self.of_systems if form.system == self.chosen_system)

    def _of_system(self, name: str, data: Any, written: Any) -> ParametersForm:
        mine = self.scheme is not None and self.scheme.system == name
        given = self.scheme.parameters if self.scheme is not None and mine else {}
        if data is not None and name == self.chosen_system:
            return ParametersForm(name, data)
        form = ParametersForm(name, given=given)
        if written is not None:
            form.is_open = form.is_open or (name == self.chosen_system and written.get("show") == "parameters")
            names = {field: form.add_prefix(field) for field in form.fields}
            form.initial = {
                **form.initial,
                **{field: written[name] for field, name in names.items() if name in written},
            }
        return form


def _initial_of(scheme: Scheme) -> dict[str, Any]:
    """Return the initial values for a scheme, without numbers that equal the default display."""
    display, kind = scheme.display, scheme.display.get("mapping", DEFAULT_MAPPING)
    chosen: dict[str, Any] = {"system": scheme.system, "mapping": kind}
    try:
        if display == default_display(scheme.system, scheme.parameters):
            chosen["mapping"] = SUITED
        suited = suitable_display(kind, scheme.system, scheme.parameters)
        is_own = scheme.tiers != suitable_tiers(scheme.system, scheme.parameters, display).to_list()
    except ValueError:  # a system or a value that this version does not know
        suited, is_own = {}, True
    chosen["tier_choice"] = "own" if is_own and scheme.tiers else SUITED
    if chosen["mapping"] != SUITED:
        now, usual = mapping_from_dict(display).to_dict(), mapping_from_dict(suited or {"mapping": kind}).to_dict()
        chosen |= {
            field: short(now[part.name])
            for field, (mapping, part) in parts_by_field().items()
            if mapping == kind and now[part.name] != usual[part.name]
        }
        if conservative_factor(display) != conservative_factor(suited):
            chosen["k"] = short(conservative_factor(display))
    return chosen


def _are_equivalent(first: Dictionary[str, Any], second: Dictionary[str, Any]) -> bool:
    same_factor = conservative_factor(first) == conservative_factor(second)
    return same_factor and mapping_from_dict(first) == mapping_from_dict(second)
