"""Changes of a rating scheme: the differences between two versions in words, and the change to propose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, pgettext

from contests.changes.base import Change, ChangeDescription
from contests.errors import ContestError
from contests.models import Contest, Series
from contests.wording import grouped
from ratings.descriptions import K_LABEL, as_written, description_of, label_of
from ratings.display import mapping_from_dict
from ratings.display.scores import conservative_factor
from ratings.models import Scheme
from ratings.publishing.schemes import choose_scheme, previewed_scheme
from ratings.systems import SYSTEMS

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from ratings.display import Mapping

#: The labels of the options of leagues and season points.
OPTION_LABELS = {
    "contests": gettext_lazy("Contests averaged for leagues"),
    "margin": gettext_lazy("Margin before relegation"),
    "provisional_contests": gettext_lazy("Contests before the first league"),
    "provisional_sigma": gettext_lazy("Maximum uncertainty for a league"),
    "assignment": gettext_lazy("Promotion and relegation"),
    "division_size": gettext_lazy("Players in a division"),
    "starts": gettext_lazy("First days of the seasons"),
    "k": gettext_lazy("Maximum season points per contest"),
    "scale": gettext_lazy("Rating difference for 10:1 odds"),
    "bonus_per_day": gettext_lazy("Bonus per day"),
    "bonus_in_level": gettext_lazy("Include the bonus when points are compared with ratings"),
    "hours": gettext_lazy("Reference duration (hours)"),
    "exponent": gettext_lazy("Exponent of the duration"),
    "minimum": gettext_lazy("Minimum weight factor"),
    "maximum": gettext_lazy("Maximum weight factor"),
}
#: Options that are off if they have no value; the other options then have the default of the system.
_OR_NONE = {"starts", "provisional_sigma", "division_size"}
_WORDS = {"moving_average": gettext_lazy("moving average"), "confidence": gettext_lazy("confidence")}
_OPTIONS = {
    "Leagues": (gettext_lazy("Promotion and relegation"), gettext_lazy("immediate"), gettext_lazy("leagues")),
    "Duration": (
        gettext_lazy("Weight of contests"),
        gettext_lazy("the same for all durations"),
        gettext_lazy("grows with the duration"),
    ),
}
#: The choices of season points by the length of a season.
_SEASONS = {
    "year": gettext_lazy("each calendar year"),
    "quarter": gettext_lazy("each quarter"),
    "month": gettext_lazy("each month"),
}

Difference = tuple[str, object, object]


def differences(old: Scheme, new: Scheme) -> list[Difference]:
    """Return (label, before, after) for each difference between two versions, the most important first."""
    found: list[Difference] = []
    if old.system != new.system:
        found.append((gettext("Rating system"), description_of(old.system).title, description_of(new.system).title))
    found += [*_of_parameters(old, new), *_of_options("Duration", old.duration_weight, new.duration_weight)]
    found += [*_of_displays(old.display, new.display), *_of_tiers(old, new)]
    return [*found, *_of_options("Leagues", old.leagues, new.leagues), *_of_season(old.season, new.season)]


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
            found.append((label_of(parameter), before or gettext("none"), after or gettext("none")))
    return found


def _of_displays(old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    before, after = mapping_from_dict(old), mapping_from_dict(new)
    found: list[Difference] = []
    if before.name != after.name:
        found.append((gettext("Display format"), gettext(before.kind), _in_words(after)))
    else:
        was, will_be = before.to_dict(), after.to_dict()
        found += [
            (gettext(part.label), _number(was[part.name]), _number(will_be[part.name]))
            for part in after.PARTS
            if was[part.name] != will_be[part.name]
        ]
    k_before, k_after = conservative_factor(old), conservative_factor(new)
    if k_before != k_after:
        found.append((gettext(K_LABEL), _number(k_before), _number(k_after)))
    return found


def _in_words(mapping: Mapping) -> str:
    if mapping.greatest is None:
        return gettext(mapping.kind)
    return gettext("a fixed range from 0 to %(top)s") % {"top": grouped(round(mapping.greatest))}


def _of_tiers(old: Scheme, new: Scheme) -> list[Difference]:
    before = {tier["name"]: tier for tier in old.tiers}
    after = {tier["name"]: tier for tier in new.tiers}
    found: list[Difference] = []
    for name in [*after, *(name for name in before if name not in after)]:
        was, will_be = (_threshold(tiers.get(name)) for tiers in (before, after))
        if was != will_be:
            found.append((gettext("Tier %(name)s") % {"name": name}, was, will_be))
        elif before[name] != after[name]:
            label = gettext("Tier %(name)s") % {"name": name}
            found.append((label, gettext("previous colours or symbol"), gettext("new colours or a new symbol")))
    return found


def _of_options(what: str, old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    """Return the differences between the leagues, or the weights by duration, of two versions."""
    if bool(old) != bool(new):
        words = _OPTIONS[what]
        return [(str(words[0]), str(words[1 + bool(old)]), str(words[1 + bool(new)]))]
    return _of_numbers(what, old, new)


def _of_season(old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    """Return the differences between the season points of two versions: first when seasons begin, then the numbers."""
    found: list[Difference] = []
    before, after = _seasons(old), _seasons(new)
    if before != after:
        found.append((gettext("Season points"), before, after))
    if old and new:
        was, will_be = ({name: value for name, value in each.items() if name != "length"} for each in (old, new))
        return [*found, *_of_numbers("Season", was, will_be)]
    # The dates belong to the choice; the numbers of season points that are new or gone are not worth a line.
    was, will_be = ({"starts": each["starts"]} if "starts" in each else {} for each in (old, new))
    return [*found, *_of_numbers("Season", was, will_be)]


def _seasons(season: dict[str, Any]) -> str:
    if not season:
        return pgettext("season points", "none")
    return gettext("from chosen dates") if "starts" in season else str(_SEASONS[season.get("length", "year")])


def _of_numbers(what: str, old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    labels = OPTION_LABELS | ({"k": gettext_lazy("Standard deviations for promotion")} if what == "Leagues" else {})
    return [
        (str(labels.get(name, name)), _option(name, old.get(name, usual)), _option(name, new.get(name, usual)))
        for name in dict.fromkeys([*old, *new])
        # Stored only if the bonus is left out.
        for usual in [True if name == "bonus_in_level" else None]
        if old.get(name, usual) != new.get(name, usual)
    ]


def _option(name: str, value: Any) -> str:
    if value is None:
        return gettext("none") if name in _OR_NONE else gettext("default")
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, list):
        if len(value) <= 3:
            return ", ".join(value)
        text = gettext("%(number)s dates, the first %(first)s, the last %(last)s")
        return text % {"number": len(value), "first": value[0], "last": value[-1]}
    return _number(value) if isinstance(value, int | float) else str(_WORDS.get(value, value))


def _threshold(tier: dict[str, Any] | None) -> str:
    if tier is None:
        return gettext("none")
    if tier["minimum"] is None:
        return gettext("lowest")
    return gettext("from %(number)s") % {"number": grouped(tier["minimum"])}


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
            raise ContestError(gettext("This series no longer exists."))
        old, new = Scheme.objects.newest(self.series_id), self.proposed()
        by = description_of(new.system).in_words
        is_another = old is None or old.system != new.system
        names = {"series": series.name, "system": by}
        same_duration = old is not None and old.duration_weight == new.duration_weight
        counts_alike = old is None or (old.has_points_of(new) and same_duration)
        if is_another:
            title = gettext("Rate %(series)s with %(system)s")
        elif counts_alike:
            title = gettext("Change how %(series)s is ranked and displayed")
        else:
            title = gettext("Change how %(series)s is rated")
        is_rated_again = gettext("“%(series)s” is being rated again with %(system)s.") % names
        return ChangeDescription(
            title=title % names,
            button=pgettext("button", "Change"),
            done=is_rated_again if self.moves_ratings else gettext("Saved."),
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
