"""Changes of a rating scheme: the differences between two versions in words, and the change to propose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from contests.changes.base import Change, ChangeDescription
from contests.errors import ContestError
from contests.models import Contest, Series
from ratings.descriptions import K_LABEL, as_written, description_of, label_of
from ratings.display import mapping_from_dict
from ratings.display.scores import conservative_factor
from ratings.models import Scheme
from ratings.publishing.schemes import choose_scheme, previewed_scheme
from ratings.systems import SYSTEMS

if TYPE_CHECKING:
    from django.contrib.auth.models import User

#: The labels of the options of leagues and season points.
OPTION_LABELS = {
    "contests": "Contests averaged for leagues",
    "margin": "Margin before relegation",
    "provisional_contests": "Contests before the first league",
    "provisional_sigma": "Maximum uncertainty for a league",
    "assignment": "Rule of promotion and relegation",
    "division_size": "Players in a division",
    "length": "Length of a season",
    "starts": "First days of the seasons",
    "k": "Maximum season points per contest",
    "scale": "Rating difference for 10:1 odds",
    "bonus_per_day": "Bonus per day",
    "bonus_in_level": "Bonus counts when points are compared with ratings",
    "hours": "Hours for the usual weight",
    "exponent": "Exponent of the duration",
    "minimum": "Smallest factor of the weight",
    "maximum": "Largest factor of the weight",
}
#: Options for which no value means none; for the others it means the default of the system.
_OR_NONE = {"length", "starts", "provisional_sigma", "division_size"}
_WORDS = {"moving_average": "moving average", "confidence": "confidence"}
_OPTIONS = {
    "Leagues": ("Promotion and relegation", "immediate", "leagues"),
    "Season": ("Season points", "none", "with a bonus"),
    "Duration": ("Weight of contests", "the same for all durations", "grows with the duration"),
}

Difference = tuple[str, object, object]


def differences(old: Scheme, new: Scheme) -> list[Difference]:
    """Return (label, before, after) for each difference between two versions, the most important first."""
    found: list[Difference] = []
    if old.system != new.system:
        found.append(("Rating system", description_of(old.system).title, description_of(new.system).title))
    found += [*_of_parameters(old, new), *_of_options("Duration", old.duration_weight, new.duration_weight)]
    found += [*_of_displays(old.display, new.display), *_of_tiers(old, new)]
    return [*found, *_of_options("Leagues", old.leagues, new.leagues), *_of_options("Season", old.season, new.season)]


def _of_parameters(old: Scheme, new: Scheme) -> list[Difference]:
    """Return the parameters that differ; for another system, those that differ from its defaults."""
    if new.system not in SYSTEMS:
        return []
    same = old.system == new.system
    found: list[Difference] = []
    for parameter in SYSTEMS[new.system].PARAMETERS:
        default = as_written(parameter.default)
        before = as_written(old.parameters.get(parameter.name, parameter.default)) if same else default
        after = as_written(new.parameters.get(parameter.name, parameter.default))
        if before != after:
            found.append((label_of(parameter), before or "none", after or "none"))
    return found


def _of_displays(old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    before, after = mapping_from_dict(old), mapping_from_dict(new)
    found: list[Difference] = []
    if before.name != after.name:
        found.append(("Display format", before.kind, after.in_words))
    else:
        was, will_be = before.to_dict(), after.to_dict()
        found += [
            (part.label, _number(was[part.name]), _number(will_be[part.name]))
            for part in after.PARTS
            if was[part.name] != will_be[part.name]
        ]
    k_before, k_after = conservative_factor(old), conservative_factor(new)
    if k_before != k_after:
        found.append((K_LABEL, _number(k_before), _number(k_after)))
    return found


def _of_tiers(old: Scheme, new: Scheme) -> list[Difference]:
    before = {tier["name"]: tier for tier in old.tiers}
    after = {tier["name"]: tier for tier in new.tiers}
    found: list[Difference] = []
    for name in [*after, *(name for name in before if name not in after)]:
        was, will_be = (_threshold(tiers.get(name)) for tiers in (before, after))
        if was != will_be:
            found.append((f"Tier {name}", was, will_be))
        elif before[name] != after[name]:
            found.append((f"Tier {name}", "previous look", "other colours or another symbol"))
    return found


def _of_options(what: str, old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    """Return the differences between the leagues, or the season points, of two versions."""
    if bool(old) != bool(new):
        words = _OPTIONS[what]
        return [(words[0], words[1 + bool(old)], words[1 + bool(new)])]
    labels = OPTION_LABELS | ({"k": "Standard deviations for promotion"} if what == "Leagues" else {})
    return [
        (labels.get(name, name), _option(name, old.get(name, usual)), _option(name, new.get(name, usual)))
        for name in dict.fromkeys([*old, *new])
        # Stored only if the bonus is left out.
        for usual in [True if name == "bonus_in_level" else None]
        if old.get(name, usual) != new.get(name, usual)
    ]


def _option(name: str, value: Any) -> str:
    if value is None:
        return "none" if name in _OR_NONE else "default"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(value) if len(value) <= 3 else f"{len(value)} days from {value[0]} to {value[-1]}"
    return _number(value) if isinstance(value, int | float) else _WORDS.get(value, str(value))


def _threshold(tier: dict[str, Any] | None) -> str:
    if tier is None:
        return "none"
    return "lowest" if tier["minimum"] is None else f"from {tier['minimum']:,}"


def _number(value: float) -> str:
    return f"{value:,.6g}"


@dataclass(frozen=True)
class ChooseScheme(Change):
    """
    Change how a series is rated or how its ratings are displayed.

    version
        The version of the scheme that the organizer saw in the form; 0 for none.
    system, parameters, display, tiers
        See `choose_scheme`; tiers None for the default tiers.
    leagues, season, duration_weight
        See `choose_scheme`; None for the current ones.
    """

    kind = "scheme.choose"

    series_id: int
    version: int
    system: str
    parameters: dict[str, Any]
    display: dict[str, Any]
    tiers: list[dict[str, Any]] | None = None
    leagues: dict[str, Any] | None = None
    season: dict[str, Any] | None = None
    duration_weight: dict[str, Any] | None = None

    @property
    def moves_ratings(self) -> bool:  # type: ignore[override]  # depends on the choice
        """Whether contests must be rated again; not for a change of display, tiers, leagues or season points."""
        old = Scheme.objects.newest(self.series_id)
        if old is None or old.rates_alike(self.proposed()):
            return False
        return Contest.objects.rated().filter(series=self.series_id).exists()

    def describe(self) -> ChangeDescription:
        series = Series.objects.filter(pk=self.series_id).first()
        if series is None:
            raise ContestError("This series no longer exists.")
        old, new = Scheme.objects.newest(self.series_id), self.proposed()
        by = description_of(new.system).in_words
        is_another = old is None or old.system != new.system
        same_duration = old is not None and old.duration_weight == new.duration_weight
        counts_alike = old is None or (old.has_points_of(new) and same_duration)
        verb = "ranked and displayed" if counts_alike else "rated"
        return ChangeDescription(
            title=f"Rate {series.name} with {by}" if is_another else f"Change how {series.name} is {verb}",
            button="Change",
            done=f"“{series.name}” is being rated again with {by}." if self.moves_ratings else "Saved.",
            back=reverse("organize:scheme", args=[series]),
            series=[series],
            differences=differences(old, new) if old is not None else (),
        )

    def apply(self, *, actor: User | None) -> None:
        choose_scheme(self.series_id, **self._choice(), reason=self.reason, version=self.version, actor=actor)

    def proposed(self) -> Scheme:
        """Return the version that this change would create, unsaved."""
        return previewed_scheme(self.series_id, **self._choice())

    def _choice(self) -> dict[str, Any]:
        names = ("system", "parameters", "display", "tiers", "leagues", "season", "duration_weight")
        return {name: getattr(self, name) for name in names}
