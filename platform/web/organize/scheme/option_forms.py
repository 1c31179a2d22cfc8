"""The two options of a scheme, leagues and season points, as an organizer chooses them."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ratings.display.leagues import LeagueRules, league_rules_from_dict
from ratings.display.season import SeasonRules, season_rules_from_dict
from ratings.publishing.scheme_options import check_leagues, has_strengths

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ratings.models import Scheme
    from ratings.systems import RatingSystem

MOVING_AVERAGE = "moving_average"
_LEAGUES = [
    ("instant", gettext_lazy("At once: each player is in the tier of the displayed rating")),
    (MOVING_AVERAGE, gettext_lazy("As leagues: by the mean rating of the last contests")),
]
_SEASONS = [
    ("none", gettext_lazy("None")),
    ("year", gettext_lazy("Each calendar year")),
    ("quarter", gettext_lazy("Each quarter of a year")),
    ("month", gettext_lazy("Each month")),
    ("starts", gettext_lazy("From dates I choose")),
]
_LONGEST_DAYS = 4000


def _number(label: Any, help_text: Any, lowest: float, highest: float, *, whole: bool = False) -> forms.Field:
    settings: dict[str, Any] = {"label": label, "help_text": help_text, "required": False}
    if whole:
        return forms.IntegerField(min_value=int(lowest), max_value=int(highest), **settings)
    widget = forms.NumberInput(attrs={"step": "any"})
    return forms.FloatField(min_value=lowest, max_value=highest, widget=widget, **settings)


class OptionsForm(forms.Form):
    """
    Leagues and season points; an empty number means the default. What a form does not name stays as it is.

    scheme
        The one in force, if there is one.
    written
        What a form said that was not meant to be saved, but shown again.
    """

    league_choice = forms.ChoiceField(
        label=gettext_lazy("How tiers are gained and lost"),
        choices=_LEAGUES,
        widget=forms.RadioSelect,
        initial="instant",
        required=False,
        help_text=gettext_lazy("This affects only the display. Nothing is rated again."),
    )
    league_contests = _number(
        gettext_lazy("Contests in the mean"),
        gettext_lazy("The league follows from the mean of this many latest ratings. Leave empty for 10."),
        1, 100, whole=True,
    )  # fmt: skip
    league_margin = _number(
        gettext_lazy("Margin before relegation"),
        gettext_lazy(
            "How many points the mean may fall below the threshold of a league before the player is "
            "relegated. Leave empty for a fifth of the smallest distance between two tiers."
        ),
        0, 1_000_000, whole=True,
    )  # fmt: skip
    league_provisional_contests = _number(
        gettext_lazy("Contests before the first league"),
        gettext_lazy("Players with fewer contests are provisional and in no league. Leave empty for 5."),
        1, 100, whole=True,
    )  # fmt: skip
    league_provisional_sigma = _number(
        gettext_lazy("Maximum uncertainty with a league"),
        gettext_lazy(
            "In rating points: players with a higher uncertainty are provisional too. Leave empty for no "
            "limit, and for rating systems without uncertainty."
        ),
        0.001, 1_000_000,
    )  # fmt: skip
    season_choice = forms.ChoiceField(
        label=gettext_lazy("Season points"),
        choices=_SEASONS,
        widget=forms.RadioSelect,
        initial="none",
        required=False,
        help_text=gettext_lazy("A number beside the rating that starts at 0 each season and rewards participation."),
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
            "K of the Elo step, without the bonus. Leave empty for a value that suits the display: 15 percent of "
            "the distance below, or 9 percent of a fixed range."
        ),
        0.01, 1_000_000,
    )  # fmt: skip
    season_scale = _number(
        gettext_lazy("Distance at which the odds are ten to one"),
        gettext_lazy("In displayed points. Leave empty for 400. With a fixed range, the odds follow from "
                     "the displayed numbers."),
        1, 1_000_000,
    )  # fmt: skip
    season_bonus = _number(
        gettext_lazy("Bonus per day"),
        gettext_lazy("In displayed points; gains are doubled while the bonus lasts. Leave empty for one K "
                     "in 60 days, 0 for no bonus."),
        0, 1_000_000,
    )  # fmt: skip

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, scheme: Scheme | None = None, written: Any = None
    ) -> None:
        initial: dict[str, Any] = _as_chosen(scheme) if scheme is not None else {}
        if written is not None:
            initial |= {name: written[name] for name in self.base_fields if name in written}
        super().__init__(data, initial=initial)

    @property
    def league_fields(self) -> list[forms.BoundField]:
        return [self[f"league_{name}"] for name in ("contests", "margin", "provisional_contests", "provisional_sigma")]

    @property
    def season_fields(self) -> list[forms.BoundField]:
        return [self[f"season_{name}"] for name in ("k", "scale", "bonus")]

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
        """Say beside the fields of a valid form what a rating system does not go with."""
        if self.cleaned_data.get("season_choice") not in ("", "none") and not has_strengths(system):
            message = _("A ladder has positions but no strengths, so there are no points to gain. Choose none.")
            self.add_error("season_choice", message)
        try:
            check_leagues(league_rules_from_dict(self.leagues() or {}), system)
        except ValueError:
            if system.sigma_means != "uncertainty":
                message = _("This rating system has no uncertainty. Leave this field empty.")
            else:
                message = _(
                    "Enter more than %(least)s, the lowest uncertainty that players reach. "
                    "Otherwise no one would ever be in a league."
                )
                message %= {"least": f"{system.least_sigma:g}"}
            self.add_error("league_provisional_sigma", message)

    def leagues(self) -> dict[str, Any] | None:
        """Return what a valid form says of leagues, as `choose_scheme` takes it."""
        said = self.cleaned_data
        if not said.get("league_choice"):
            return None
        if said["league_choice"] != MOVING_AVERAGE:
            return {}
        names = {"contests", "margin", "provisional_contests", "provisional_sigma"}
        given = {name: said[f"league_{name}"] for name in names if said.get(f"league_{name}") is not None}
        return {"assignment": MOVING_AVERAGE, **given}

    def season(self) -> dict[str, Any] | None:
        """Return what a valid form says of season points, as `choose_scheme` takes it."""
        said = self.cleaned_data
        choice = said.get("season_choice")
        if not choice:
            return None
        if choice == "none":
            return {}
        when = {"starts": said["season_starts"]} if choice == "starts" else {"length": choice}
        names = {"season_k": "k", "season_scale": "scale", "season_bonus": "bonus_per_day"}
        return {**when, **{key: said[field] for field, key in names.items() if said.get(field) is not None}}


def _as_chosen(scheme: Scheme) -> dict[str, Any]:
    """Return what the form says of a scheme: numbers that are not the defaults."""
    chosen: dict[str, Any] = {}
    leagues, usual = league_rules_from_dict(scheme.leagues), LeagueRules()
    if leagues is not None:
        names = ("contests", "margin", "provisional_contests", "provisional_sigma")
        own = {name: getattr(leagues, name) for name in names if getattr(leagues, name) != getattr(usual, name)}
        chosen |= {"league_choice": MOVING_AVERAGE, **{f"league_{name}": _short(value) for name, value in own.items()}}
    season = season_rules_from_dict(scheme.season)
    if season is not None:
        chosen["season_choice"] = season.length or "starts"
        chosen["season_starts"] = "\n".join(day.isoformat() for day in season.starts)
        numbers = {"season_k": season.k, "season_bonus": season.bonus_per_day}
        if season.scale != SeasonRules().scale:
            numbers["season_scale"] = season.scale
        chosen |= {field: _short(value) for field, value in numbers.items() if value is not None}
    return chosen


def _short(number: float) -> float:
    return int(number) if float(number).is_integer() else number
