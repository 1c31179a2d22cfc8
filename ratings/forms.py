"""How an organizer chooses what ratings look like and what computes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from ratings.systems import SYSTEMS

if TYPE_CHECKING:
    from ratings.models import Scheme

_SYSTEM_NAMES = {"elo-mmr": "Elo-MMR", "elo-mmr-infinity": "Elo-MMR(∞)"}
_DISPLAYS = [
    ("offset", "Points: newcomers at 1,500, no upper end"),
    ("fermi", "Fixed range: from 0 to a number that nobody passes"),
]


class SchemeForm(forms.Form):
    """The rating system and the display of a series."""

    mapping = forms.ChoiceField(
        label="Shown as",
        choices=_DISPLAYS,
        widget=forms.RadioSelect,
        initial="offset",
        help_text="Only what people see: a change takes effect at once, and nothing is rated again.",
    )
    range = forms.IntegerField(
        label="Upper end of the fixed range",
        required=False,
        min_value=100,
        max_value=1_000_000,
        initial=10_000,
        help_text="Only for the fixed range.",
    )
    system = forms.ChoiceField(
        label="Rating system",
        initial="elo-mmr",
        help_text="A change of the system rates the whole series again.",
    )

    def __init__(self, *args: Any, scheme: Scheme | None = None, **kwargs: Any) -> None:
        self.scheme = scheme
        if scheme is not None:
            display = scheme.display
            kwargs["initial"] = {
                "mapping": display.get("mapping", "offset"),
                "range": int(display.get("range", 10_000)),
                "system": scheme.system,
            }
        super().__init__(*args, **kwargs)
        system = self.fields["system"]
        assert isinstance(system, forms.ChoiceField)
        system.choices = [(name, _SYSTEM_NAMES.get(name, name)) for name in SYSTEMS]

    def display(self) -> dict[str, Any]:
        """Return the display of a valid form; details that the form does not ask for stay as they are."""
        old = self.scheme.display if self.scheme else {}
        said = self.cleaned_data
        if said["mapping"] == old.get("mapping"):
            chosen = dict(old)
        else:
            chosen = {key: old[key] for key in ("k",) if key in old} | {"mapping": said["mapping"]}
        if said["mapping"] == "fermi":
            chosen["range"] = said["range"] or 10_000
        return chosen
