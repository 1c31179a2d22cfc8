"""How an organizer chooses what computes ratings and what they look like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from ratings.default_display import default_display, fermi_display, points_display, suited_tiers
from ratings.descriptions import description_of
from ratings.display import conservative_factor, mapping_from_dict
from ratings.publishing.scheme_differences import DISPLAY_LABELS
from ratings.systems import DEFAULT_SYSTEM, SYSTEMS, get_system
from web.organize.scheme.parameter_forms import ParametersForm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ratings.models import Scheme

DEFAULT_RANGE = 10_000
_DISPLAYS = [
    ("suited", "As suits the rating system (recommended)"),
    ("offset", "Points: no upper end"),
    ("fermi", "Fixed range: from 0 to a number that nobody passes"),
]
_TIERS = [("suited", "As suits the display (recommended)"), ("own", "My own")]
#: Field of the form -> key of the display, for each mapping.
DETAILS = {
    "offset": {"offset": "offset", "centre": "centre", "scale": "scale", "minimum": "minimum"},
    "fermi": {"range": "range", "fermi_centre": "centre", "temperature": "temperature"},
}


def _detail(key: str, lowest: float, highest: float, help_text: str, *, whole: bool = False) -> forms.Field:
    """Return the field of one number of a display; empty for what suits the rating system."""
    if whole:
        return forms.IntegerField(
            label=DISPLAY_LABELS[key], required=False, min_value=int(lowest), max_value=int(highest),
            help_text=help_text,
        )  # fmt: skip
    return forms.FloatField(
        label=DISPLAY_LABELS[key], required=False, min_value=lowest, max_value=highest, help_text=help_text,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )  # fmt: skip


class SchemeForm(forms.Form):
    """
    The rating system of a series with its parameters, and the display; an empty number means what suits the system.

    measured
        Whether a run has measured centre and spread of the pool, so that a fixed range asks for neither.
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
    range = _detail("range", 100, 1_000_000, f"Only for the fixed range. Empty for {DEFAULT_RANGE:,}.", whole=True)
    fermi_centre = _detail("centre", -1_000_000, 1_000_000, "Rating points shown in the middle, until a run measures.")
    temperature = _detail("temperature", 0.001, 1_000_000, "In rating points, until a run measures the players.")
    offset = _detail("offset", -1_000_000, 1_000_000, "The number that people read for a player at the centre.")
    centre = _detail("centre", -1_000_000, 1_000_000, "In rating points: where the number above is shown.")
    scale = _detail("scale", 0.01, 1000, "1 shows rating points as they are.")
    minimum = _detail("minimum", -1_000_000, 1_000_000, "Nobody is shown less.", whole=True)
    k = _detail(
        "k", 0, 10,
        "How many deviations below the mean of the belief players are ordered and shown: 0 for the mean itself, 3 for "
        "a careful number that climbs as it becomes certain. A change of this rates the series again.",
    )  # fmt: skip
    tier_choice = forms.ChoiceField(
        label="Tiers", choices=_TIERS, widget=forms.RadioSelect, initial="suited", required=False
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        scheme: Scheme | None = None,
        written: Any = None,
        measured: bool = False,
    ) -> None:
        self.scheme = scheme
        initial: dict[str, Any] = _as_chosen(scheme) if scheme is not None else {}
        if written is not None:
            initial |= {name: written[name] for name in self.base_fields if name in written}
        super().__init__(data, initial=initial)
        system = self.fields["system"]
        assert isinstance(system, forms.ChoiceField)
        system.choices = [(name, description_of(name).title) for name in SYSTEMS]
        if measured:
            del self.fields["fermi_centre"], self.fields["temperature"]
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
        """Return the display of a valid form: the one in force if that says the same."""
        said = self.cleaned_data
        system, parameters = said["system"], self.parameters()
        if said["mapping"] == "suited":
            return default_display(system, parameters)
        suited = (fermi_display if said["mapping"] == "fermi" else points_display)(system, parameters)
        old = self._old_display(said["mapping"])
        made = dict(suited)
        for field, key in DETAILS[said["mapping"]].items():
            if field not in self.fields:
                made |= {key: old[key]} if key in old else {}
            elif said.get(field) is not None:
                made[key] = said[field]
        if said.get("k") is not None:
            made["k"] = said["k"]
        return next((same for same in (old, suited) if same and _say_the_same(same, made)), made)

    def has_own_tiers(self) -> bool:
        """Whether the organizer of a valid form wants others than those that suit."""
        return self.cleaned_data.get("tier_choice") == "own"

    def suited_tiers(self) -> list[dict[str, Any]]:
        """Return the tiers that suit what a valid form says."""
        system = get_system(self.cleaned_data["system"], **self.parameters())
        return suited_tiers(system.name, system.parameters(), self.display()).to_list()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "system" not in cleaned:
            return cleaned
        if not self._chosen().is_valid():
            raise ValidationError("A parameter of the rating system is not allowed; see there.", code="parameters")
        if cleaned.get("k") and SYSTEMS[cleaned["system"]].sigma_means == "nothing":
            title = description_of(cleaned["system"]).title
            self.add_error("k", f"{title} knows no deviation that could be taken away; leave this empty.")
        try:
            get_system(cleaned["system"], **self.parameters())
            if "mapping" in cleaned and not self.errors:
                mapping_from_dict(self.display())
        except ValueError as error:
            raise ValidationError(f"{error}.") from error
        return cleaned

    def _old_display(self, mapping: str) -> dict[str, Any]:
        """Return the display in force, if it is of this mapping and of the system that is chosen."""
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


def _as_chosen(scheme: Scheme) -> dict[str, Any]:
    """Return what the form says of a scheme: of a display, what is not as suits the system."""
    display, kind = scheme.display, scheme.display.get("mapping", "offset")
    chosen: dict[str, Any] = {"system": scheme.system, "mapping": kind}
    try:
        if display == default_display(scheme.system, scheme.parameters):
            chosen["mapping"] = "suited"
        suited = (fermi_display if kind == "fermi" else points_display)(scheme.system, scheme.parameters)
        is_own = scheme.tiers != suited_tiers(scheme.system, scheme.parameters, display).to_list()
    except ValueError:  # rated by a system, or a value, that this version does not know
        suited, is_own = {}, True
    chosen["tier_choice"] = "own" if is_own and scheme.tiers else "suited"
    if chosen["mapping"] != "suited":
        now, usual = mapping_from_dict(display).to_dict(), mapping_from_dict(suited or {"mapping": kind}).to_dict()
        chosen |= {field: _short(now[key]) for field, key in DETAILS[kind].items() if now[key] != usual[key]}
        if conservative_factor(display) != conservative_factor(suited):
            chosen["k"] = _short(conservative_factor(display))
    return chosen


def _say_the_same(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    same_factor = conservative_factor(first) == conservative_factor(second)
    return same_factor and mapping_from_dict(first) == mapping_from_dict(second)


def _short(number: float) -> float:
    return int(number) if float(number).is_integer() else number
