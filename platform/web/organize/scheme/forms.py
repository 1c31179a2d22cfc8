"""The form of a rating scheme's leagues and season points."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ratings.display.leagues import CONFIDENCE, MOVING_AVERAGE, LeagueRules, league_rules_from_dict
from ratings.display.season import SeasonRules, season_rules_from_dict
from ratings.publishing.schemes import check_leagues, has_strengths
from web.organize.scheme.duration_fields import DurationFields, duration_as_chosen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ratings.models import Scheme
    from ratings.systems import RatingSystem

_LEAGUES = [
    ("instant", gettext_lazy("Immediate: the displayed rating decides the tier")),
    (MOVING_AVERAGE, gettext_lazy("Leagues: the average of the latest displayed ratings decides the league")),
    (CONFIDENCE, gettext_lazy("Leagues: the rating and its uncertainty decide the league")),
]
_SEASONS = [
    ("none", gettext_lazy("None")),
    ("year", gettext_lazy("Each calendar year")),
    ("quarter", gettext_lazy("Each quarter")),
    ("month", gettext_lazy("Each month")),
    ("starts", gettext_lazy("Starting on dates I choose")),
]
_LONGEST_DAYS = 4000
#: The number fields that both rules of leagues have, and those that only one of them has.
_COMMON = ("provisional_contests", "provisional_sigma", "division_size")
_OWN = {MOVING_AVERAGE: ("contests", "margin"), CONFIDENCE: ("k",)}


def _number(label: Any, help_text: Any, lowest: float, highest: float, *, whole: bool = False) -> forms.Field:
    settings: dict[str, Any] = {"label": label, "help_text": help_text, "required": False}
    if whole:
        return forms.IntegerField(min_value=int(lowest), max_value=int(highest), **settings)
    widget = forms.NumberInput(attrs={"step": "any"})
    return forms.FloatField(min_value=lowest, max_value=highest, widget=widget, **settings)


class OptionsForm(DurationFields):
    """
    Duration weights, leagues and season points.

    An empty number means the default, and absent fields leave the scheme unchanged.

    scheme
        The current one, if there is one.
    written
        Posted values to show again without checking or saving them.
    """

    league_choice = forms.ChoiceField(
        label=gettext_lazy("Promotion and relegation"),
        choices=_LEAGUES,
        widget=forms.RadioSelect,
        initial="instant",
        required=False,
        help_text=gettext_lazy("This affects only the display. Podium does not need to rate the series again."),
    )
    league_contests = _number(
        gettext_lazy("Contests averaged"),
        gettext_lazy(
            "Podium averages this many of a player’s latest ratings to choose the league. Leave empty to use 10."
        ),
        1, 100, whole=True,
    )  # fmt: skip
    league_margin = _number(
        gettext_lazy("Margin before relegation"),
        gettext_lazy(
            "How many points the average may fall below the threshold of a league before the player is "
            "relegated. Leave empty for a fifth of the smallest distance between two tiers."
        ),
        0, 1_000_000, whole=True,
    )  # fmt: skip
    league_k = _number(
        gettext_lazy("Standard deviations for promotion"),
        gettext_lazy(
            "Promotion: the rating minus this many standard deviations reaches the threshold of a league. Relegation: "
            "the rating plus the same number of standard deviations is below the threshold. Leave empty to use 1."
        ),
        0.1, 10,
    )  # fmt: skip
    league_division_size = _number(
        gettext_lazy("Players in a division"),
        gettext_lazy(
            "Each league has divisions of at most this many players, who keep their division for the season. Leave "
            "empty for no divisions."
        ),
        2, 10_000, whole=True,
    )  # fmt: skip
    league_provisional_contests = _number(
        gettext_lazy("Contests before the first league"),
        gettext_lazy("Players with fewer contests are provisional and in no league. Leave empty to use 5."),
        1, 100, whole=True,
    )  # fmt: skip
    league_provisional_sigma = _number(
        gettext_lazy("Maximum uncertainty for a league"),
        gettext_lazy(
            "In rating points. Players with a higher uncertainty are provisional too. Leave empty for no "
            "limit, or if the rating system has no uncertainty."
        ),
        0.001, 1_000_000,
    )  # fmt: skip
    season_choice = forms.ChoiceField(
        label=gettext_lazy("Season points"),
        choices=_SEASONS,
        widget=forms.RadioSelect,
        initial="none",
        required=False,
        help_text=gettext_lazy(
            "A separate score, shown beside the rating. It starts at 0 each season and rewards participation."
        ),
    )
    season_starts = forms.CharField(
        label=gettext_lazy("First days of the seasons"),
        required=False,
        max_length=_LONGEST_DAYS,
        widget=forms.Textarea(attrs={"rows": 3, "placeholder": "2026-01-01"}),
        help_text=gettext_lazy(
            "One per line, in the form 2026-01-31. Each season lasts until the next one begins (UTC)."
        ),
    )
    season_k = _number(
        gettext_lazy("Maximum points per contest"),
        gettext_lazy(
            # xgettext:no-python-format
            "The most season points that a player can gain in one contest, before the bonus (Elo’s K). Leave empty "
            "for 15 % of “Rating difference for 10:1 odds” below. With a fixed range, the default is 9 % of the range."
        ),
        0.01, 1_000_000,
    )  # fmt: skip
    season_scale = _number(
        gettext_lazy("Rating difference for 10:1 odds"),
        gettext_lazy("In displayed points. Leave empty to use 400. With a fixed range, Podium ignores this field and "
                     "computes the odds from the displayed ratings."),
        1, 1_000_000,
    )  # fmt: skip
    season_bonus = _number(
        gettext_lazy("Bonus per day"),
        gettext_lazy("Displayed points added to each player’s bonus per day. While bonus points are left, gains count "
                     "double. Leave empty for a bonus that grows to the maximum points per contest in 60 days. "
                     "Enter 0 for no bonus."),
        0, 1_000_000,
    )  # fmt: skip

    season_bonus_apart = forms.BooleanField(
        label=gettext_lazy("Leave the bonus out when points are compared with ratings"),
        required=False,
        help_text=gettext_lazy(
            "If you tick this, bonus points are added on top and don’t affect later gains and losses. Otherwise, they "
            "count in the comparison, so over time a player’s points, bonus included, approach the rating minus the "
            "threshold of the player’s league."
        ),
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, scheme: Scheme | None = None, written: Any = None
    ) -> None:
        initial: dict[str, Any] = _as_chosen(scheme) if scheme is not None else {}
        if written is not None:
            initial |= {name: written[name] for name in self.base_fields if name in written}
        super().__init__(data, initial=initial)

    @property
    def average_fields(self) -> list[forms.BoundField]:
        return [self["league_contests"], self["league_margin"]]

    @property
    def league_fields(self) -> list[forms.BoundField]:
        return [self["league_provisional_contests"], self["league_provisional_sigma"]]

    @property
    def season_fields(self) -> list[forms.BoundField]:
        return [self[f"season_{name}"] for name in ("k", "scale", "bonus", "bonus_apart")]

    def clean_season_starts(self) -> list[str]:
        days = []
        for written in re.split(r"[\s,;]+", self.cleaned_data["season_starts"]):
            if not written:
                continue
            try:
                days.append(date.fromisoformat(written).isoformat())
            except ValueError as error:
                message = _("“%(day)s” is not a valid date. Use the form 2026-01-31.")
                raise ValidationError(message, params={"day": written}) from error
        return sorted(set(days))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("season_choice") == "starts" and not self.errors:
            if not cleaned["season_starts"]:
                self.add_error("season_starts", _("Enter the first day of the first season."))
            else:
                self._check_starts()
        return cleaned

    def _check_starts(self) -> None:
        try:
            season_rules_from_dict(self.season() or {})
        except ValueError as error:
            self.add_error("season_starts", f"{error}.")

    def check(self, system: RatingSystem) -> None:
        """Add errors to a valid form for options that a rating system does not support."""
        self.check_duration(system)
        if self.cleaned_data.get("season_choice") not in ("", "none") and not has_strengths(system):
            message = _("A ladder has positions but no strengths, so there are no points to gain. Choose “None”.")
            self.add_error("season_choice", message)
        try:
            check_leagues(league_rules_from_dict(self.leagues() or {}), system)
        except ValueError:
            if system.sigma_means != "uncertainty" and self.cleaned_data["league_choice"] == CONFIDENCE:
                message = _("This rating system has no uncertainty. Choose the average.")
                self.add_error("league_choice", message)
                return
            if system.sigma_means != "uncertainty":
                message = _("This rating system has no uncertainty. Leave this field empty.")
            else:
                message = _(
                    "Enter more than %(least)s, the lowest uncertainty that players reach. "
                    "Otherwise no one would ever be in a league."
                )
                message %= {"least": f"{system.min_sigma:g}"}
            self.add_error("league_provisional_sigma", message)

    def leagues(self) -> dict[str, Any] | None:
        """Return the leagues of a valid form, as `choose_scheme` takes them."""
        said = self.cleaned_data
        if not said.get("league_choice"):
            return None
        if said["league_choice"] not in _OWN:
            return {}
        names = (*_OWN[said["league_choice"]], *_COMMON)
        given = {name: said[f"league_{name}"] for name in names if said.get(f"league_{name}") is not None}
        return {"assignment": said["league_choice"], **given}

    def season(self) -> dict[str, Any] | None:
        """Return the season points of a valid form, as `choose_scheme` takes them."""
        said = self.cleaned_data
        choice = said.get("season_choice")
        if not choice:
            return None
        if choice == "none":
            return {}
        when = {"starts": said["season_starts"]} if choice == "starts" else {"length": choice}
        names = {"season_k": "k", "season_scale": "scale", "season_bonus": "bonus_per_day"}
        apart = {"bonus_in_level": False} if said.get("season_bonus_apart") else {}
        return {**when, **apart, **{key: said[field] for field, key in names.items() if said.get(field) is not None}}


def _as_chosen(scheme: Scheme) -> dict[str, Any]:
    """Return the initial values for a scheme, without numbers that equal the defaults."""
    chosen = duration_as_chosen(scheme)
    leagues, usual = league_rules_from_dict(scheme.leagues), LeagueRules()
    if leagues is not None:
        names = (*_OWN[leagues.assignment], *_COMMON)
        own = {name: getattr(leagues, name) for name in names if getattr(leagues, name) != getattr(usual, name)}
        chosen |= {
            "league_choice": leagues.assignment,
            **{f"league_{name}": _short(value) for name, value in own.items()},
        }
    season = season_rules_from_dict(scheme.season)
    if season is not None:
        chosen["season_choice"] = season.length or "starts"
        chosen["season_starts"] = "\n".join(day.isoformat() for day in season.starts)
        numbers = {"season_k": season.k, "season_bonus": season.bonus_per_day}
        chosen["season_bonus_apart"] = not season.bonus_in_level
        if season.scale != SeasonRules().scale:
            numbers["season_scale"] = season.scale
        chosen |= {field: _short(value) for field, value in numbers.items() if value is not None}
    return chosen


def _short(number: float) -> float:
    return int(number) if float(number).is_integer() else number
