"""How an organizer chooses what computes ratings and what they look like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from ratings.descriptions import description_of
from ratings.display import mapping_from_dict
from ratings.parameter_forms import ParametersForm
from ratings.suited import default_display, fermi_display, points_display
from ratings.systems import DEFAULT_SYSTEM, SYSTEMS, get_system

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ratings.models import Scheme

DEFAULT_RANGE = 10_000
_DISPLAYS = [
    ("suited", "As suits the rating system (recommended)"),
    ("offset", "Points: no upper end"),
    ("fermi", "Fixed range: from 0 to a number that nobody passes"),
]


class SchemeForm(forms.Form):
    """
    The rating system of a series with its parameters, and the display.

    scheme
        The one in force, if there is one.
    written
        What a form said that was not meant to be saved, but shown again with the parameters of another system.
    """

    system = forms.ChoiceField(
        label="Rating system",
        initial=DEFAULT_SYSTEM,
        help_text="A change of the system or its parameters rates the whole series again.",
    )
    mapping = forms.ChoiceField(
        label="Shown as",
        choices=_DISPLAYS,
        widget=forms.RadioSelect,
        initial="suited",
        help_text="Only what people see: a change takes effect at once. Nothing is rated again.",
    )
    range = forms.IntegerField(
        label="Upper end of the fixed range",
        required=False,
        min_value=100,
        max_value=1_000_000,
        initial=DEFAULT_RANGE,
        help_text="Only for the fixed range.",
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, scheme: Scheme | None = None, written: Any = None
    ) -> None:
        self.scheme = scheme
        initial: dict[str, Any] = _as_chosen(scheme) if scheme is not None else {}
        if written is not None:
            initial |= {name: written[name] for name in self.base_fields if name in written}
        super().__init__(data, initial=initial)
        system = self.fields["system"]
        assert isinstance(system, forms.ChoiceField)
        system.choices = [(name, description_of(name).title) for name in SYSTEMS]
        self.of_systems = [self._of_system(name, data, written) for name in SYSTEMS]

    @property
    def chosen_system(self) -> str:
        """The system whose parameters are shown; an unknown one gives way to the default."""
        name = self["system"].value()
        return name if name in SYSTEMS else DEFAULT_SYSTEM

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of a valid form that are not at their defaults."""
        return self._chosen().parameters()

    def display(self) -> dict[str, Any]:
        """Return the display of a valid form; details that the form does not ask for stay as they are."""
        said = self.cleaned_data
        system, parameters, width = said["system"], self.parameters(), said["range"] or DEFAULT_RANGE
        if said["mapping"] == "suited":
            return default_display(system, parameters)
        old = self.scheme.display if self.scheme is not None and self.scheme.system == system else {}
        if old.get("mapping") == said["mapping"]:
            return {**old, "range": width} if said["mapping"] == "fermi" else {**old}
        made = (
            fermi_display(system, parameters, width)
            if said["mapping"] == "fermi"
            else points_display(system, parameters)
        )
        return {**made, "k": old["k"]} if "k" in old else made

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "system" not in cleaned:
            return cleaned
        if not self._chosen().is_valid():
            raise ValidationError("A parameter of the rating system is not allowed; see there.", code="parameters")
        try:
            get_system(cleaned["system"], **self.parameters())
            if {"mapping", "range"} <= set(cleaned):
                mapping_from_dict(self.display())
        except ValueError as error:
            raise ValidationError(f"{error}.") from error
        return cleaned

    def _chosen(self) -> ParametersForm:
        return next(form for form in self.of_systems if form.system == self.chosen_system)

    def _of_system(self, name: str, data: Any, written: Any) -> ParametersForm:
        mine = self.scheme is not None and self.scheme.system == name
        given = self.scheme.parameters if self.scheme is not None and mine else {}
        if data is not None and name == self.chosen_system:
            return ParametersForm(name, data)
        form = ParametersForm(name, given=given)
        if written is not None:
            form.is_open = form.is_open or name == self.chosen_system
            names = {field: form.add_prefix(field) for field in form.fields}
            form.initial = {
                **form.initial,
                **{field: written[name] for field, name in names.items() if name in written},
            }
        return form


def _as_chosen(scheme: Scheme) -> dict[str, Any]:
    """Return what the form says of a scheme."""
    display = scheme.display
    try:
        is_suited = display == default_display(scheme.system, scheme.parameters)
    except ValueError:  # rated by a system, or a value, that this version does not know
        is_suited = False
    return {
        "system": scheme.system,
        "mapping": "suited" if is_suited else display.get("mapping", "offset"),
        "range": int(display.get("range", DEFAULT_RANGE)),
    }
