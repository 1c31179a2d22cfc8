"""Texts about rating systems and their parameters, in the language of the page.

The rating library does not translate. Texts that it gives as keyword arguments are listed here for translators; this
project's own makemessages finds the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from ratings.systems import SYSTEMS
from ratings.systems.declarations import Description

if TYPE_CHECKING:
    from ratings.systems import Parameter

#: The label of the factor k of a display, in forms and in histories of a scheme.
K_LABEL = gettext_noop("Standard deviations subtracted")
LABELS = {
    "beta": gettext_noop("Beta"),
    "curve": gettext_noop("Curve"),
    "decay": gettext_noop("Decay"),
    "draw_probability": gettext_noop("Draw probability"),
    "drift": gettext_noop("Drift"),
    "drift_per_day": gettext_noop("Drift per day"),
    "epsilon": gettext_noop("Epsilon"),
    "idle_days": gettext_noop("Idle period (days)"),
    "idle_penalty": gettext_noop("Idle penalty (places)"),
    "inflation_control": gettext_noop("Inflation control"),
    "k_factor": "K",
    "max_gain": gettext_noop("Maximum change"),
    "mu_noob": gettext_noop("New players’ rating"),
    "noob_delay": gettext_noop("Weight of first contests"),
    "on_win": gettext_noop("When the lower player wins"),
    "own_gaps": gettext_noop("Separate gaps"),
    "period_days": gettext_noop("Period length (days)"),
    "reach": gettext_noop("Reach of challenges (places)"),
    "scale": gettext_noop("Scale"),
    "sig_limit": gettext_noop("Long-run uncertainty"),
    "sig_noob": gettext_noop("New players’ uncertainty"),
    "split_ties": gettext_noop("Split ties"),
    "tau": gettext_noop("Tau"),
    "temperature": gettext_noop("Temperature"),
    "transfer_speed": gettext_noop("Transfer speed"),
    "volatility_noob": gettext_noop("New players’ volatility"),
    "weight": gettext_noop("Weight"),
    "weight_limit": gettext_noop("Weight limit"),
    "weight_noob": gettext_noop("Weight of the first contest"),
}
#: Units, choices and the descriptions of newcomers' values, which the systems give as keyword arguments.
TEXTS_BY_KEYWORD = (
    gettext_noop("day"),
    gettext_noop("days"),
    gettext_noop("rating point"),
    gettext_noop("rating points"),
    gettext_noop("rating points squared per day"),
    gettext_noop("logistic"),
    gettext_noop("gaussian"),
    gettext_noop("exchange"),
    gettext_noop("insert"),
    gettext_noop("Estimated strength of a new player."),
    gettext_noop("Uncertainty about a new player’s strength."),
    gettext_noop("Rating of a new player."),
    gettext_noop("Rating of a new player. TopCoder uses 1200."),
    gettext_noop("Volatility of a new player. TopCoder uses 535."),
    gettext_noop("First players’ rating"),
    gettext_noop("Rating of the first players, when the pool is empty."),
    gettext_noop("The system computes no uncertainty. Exports and the API give this number for every player."),
    gettext_noop("Codeforces computes no uncertainty. Exports and the API give this number for every player."),
    gettext_noop("Elo computes no uncertainty. Exports and the API give this number for every player."),
)


def description_of(system: str) -> Description:
    """Return a system's texts in the page's language; for a system unknown to this version, its name alone."""
    if system not in SYSTEMS:
        return Description(system, system, "", "", "")
    texts = SYSTEMS[system].description
    words = (texts.in_words, texts.good_for, texts.how, texts.adds_up, texts.cannot_split)
    return Description(texts.title, *(_(text) if text else "" for text in words))


def label_of(parameter: Parameter) -> str:
    """Return the label of a parameter."""
    label = parameter.label or LABELS.get(parameter.name)
    return _(label) if label else parameter.name.replace("_", " ").capitalize()


def unit_of(parameter: Parameter) -> str:
    """Return the unit of a parameter in words; empty for a plain number."""
    return _(parameter.unit) if parameter.unit else ""


def words_of(parameter: Parameter) -> str:
    """Return the description of a parameter."""
    return _(parameter.description)


def value_in_words(value: Any) -> str:
    """Return a parameter's value for readers: six digits, with their decimal separator; flags and choices in words."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, str):
        return _(value)
    if isinstance(value, Sequence):
        between = ", " if _decimal_sign() == "." else "; "
        return between.join(map(value_in_words, value)) or _("none")
    whole = float(value).is_integer() and abs(value) < 1e15
    number = str(int(value)) if whole else f"{value:.6g}" if abs(value) < 1e6 else repr(value)
    return number.replace(".", _decimal_sign())


def _decimal_sign() -> str:
    return str(get_format("DECIMAL_SEPARATOR"))


def as_written(value: Any) -> str:
    """Return a parameter's value as the form fields write and read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(as_written(element) for element in value)
    if isinstance(value, float | int):
        return repr(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def own_values(system: str, parameters: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return label, value and unit of the parameters that differ from their defaults."""
    if system not in SYSTEMS:
        return []
    return [
        (label_of(parameter), value_in_words(parameters[parameter.name]), unit_of(parameter))
        for parameter in SYSTEMS[system].PARAMETERS
        if parameter.name in parameters and not same_value(parameters[parameter.name], parameter.default)
    ]


def same_value(value: Any, default: Any) -> bool:
    """Return whether a parameter has its default value."""
    return tuple(value) == tuple(default) if isinstance(default, tuple) else bool(value == default)
