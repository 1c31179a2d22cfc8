"""The forms of a rating scheme: leagues, season points and tiers."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy, pgettext
from django.utils.translation import gettext as _

from contests.plain_text import plain_text
from contests.whole_numbers import whole_number_of
from contests.wording import grouped
from ratings.display import Tier, tiers_from_list
from ratings.display.colours import DARK_PAGE, LIGHT_PAGE, MINIMUM_CONTRAST, contrast, for_both_themes
from ratings.display.leagues import CONFIDENCE, MOVING_AVERAGE, LeagueRules, league_rules_from_dict
from ratings.display.season import SeasonRules, season_rules_from_dict
from ratings.display.tier_sets import SHAPES
from ratings.publishing.schemes import check_leagues, has_strengths
from web.organize.scheme.duration_fields import DurationFields, duration_as_chosen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ratings.display import Tiers
    from ratings.models import Scheme
    from ratings.systems import RatingSystem

_LEAGUES = [
    ("instant", gettext_lazy("Immediate: the displayed rating decides the tier")),
    (MOVING_AVERAGE, gettext_lazy("Leagues: the average of the latest displayed ratings decides the tier")),
    (CONFIDENCE, gettext_lazy("Leagues: the rating and its uncertainty decide the tier")),
]
_SEASONS = [
    ("none", gettext_lazy("None")),
    ("year", gettext_lazy("Each calendar year")),
    ("quarter", gettext_lazy("Each quarter")),
    ("month", gettext_lazy("Each month")),
    ("starts", gettext_lazy("From dates I choose")),
]
_LONGEST_DAYS = 4000
#: The numbers of leagues with both rules, and with one of them.
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
            "Podium averages this many of a player's latest ratings to choose the league. Leave empty for 10."
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
            "the rating plus as many is below the threshold. Leave empty for 1."
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
        gettext_lazy("Players with fewer contests are provisional and in no league. Leave empty for 5."),
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
            "The most season points that one contest can bring, before the bonus (Elo's K). Leave empty for 15 percent "
            "of the rating difference in the next field, or 9 percent of a fixed range."
        ),
        0.01, 1_000_000,
    )  # fmt: skip
    season_scale = _number(
        gettext_lazy("Rating difference for 10:1 odds"),
        gettext_lazy("In displayed points. Leave empty for 400. With a fixed range, Podium ignores this field and "
                     "computes the odds from the displayed ratings."),
        1, 1_000_000,
    )  # fmt: skip
    season_bonus = _number(
        gettext_lazy("Bonus per day"),
        gettext_lazy("Displayed points added to each player's bonus per day. While bonus points are left, gains count "
                     "double. Leave empty for a bonus that grows to the maximum points per contest in 60 days. "
                     "Enter 0 for no bonus."),
        0, 1_000_000,
    )  # fmt: skip

    season_bonus_apart = forms.BooleanField(
        label=gettext_lazy("Leave the bonus out when points are compared with ratings"),
        required=False,
        help_text=gettext_lazy(
            "Bonus points are then added on top and have no effect on later gains and losses. Otherwise points settle "
            "where points and threshold together are the rating."
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
            message = _("A ladder has positions but no strengths, so there are no points to gain. Choose none.")
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


MOST_TIERS = 30
_FARTHEST = 1_000_000_000
PREFIX = "tiers"
#: The colours of a new row, readable on light and dark pages.
_NEW = {"colour_light": "#4b5361", "colour_dark": "#b3bac6"}


class ColourField(forms.CharField):
    """A colour "#rrggbb"; if a page is given, it is readable as text on that page."""

    def __init__(self, page: str | None = None, **settings: Any) -> None:
        self.page = page
        super().__init__(**settings)

    def clean(self, value: Any) -> str:
        colour = str(super().clean(value)).lower()
        if not colour and not self.required:
            return ""
        if not re.fullmatch("#[0-9a-f]{6}", colour):
            raise ValidationError(gettext("This is not a valid colour. Enter it as #1a2b3c."))
        if self.page is not None and contrast(colour, self.page) < MINIMUM_CONTRAST:
            raise ValidationError(
                gettext("Text in the colour %(colour)s is hard to read on %(page)s. Choose another colour.")
                % {"colour": colour, "page": self.page}
            )
        return colour


class TierForm(forms.Form):
    """One tier; the lowest has no threshold."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=40, validators=[plain_text])
    minimum = forms.IntegerField(
        label=gettext_lazy("Threshold"),
        required=False,
        min_value=-_FARTHEST,
        max_value=_FARTHEST,
        widget=forms.NumberInput(attrs={"placeholder": gettext_lazy("none")}),
    )
    symbol = forms.CharField(max_length=4, label=gettext_lazy("Shape"), validators=[plain_text], widget=forms.Select())
    colour = ColourField(label=gettext_lazy("Colour"), widget=forms.TextInput(attrs={"type": "color"}), required=False)
    #: The tier's present colours. They stay unless the organizer picks another colour, so the form sends both.
    colour_light = ColourField(LIGHT_PAGE, widget=forms.HiddenInput(), required=False)
    colour_dark = ColourField(DARK_PAGE, widget=forms.HiddenInput(), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("colour", self.initial.get("colour_light"))
        symbol = self["symbol"].value()
        shapes = SHAPES if not symbol or symbol in SHAPES else (symbol, *SHAPES)
        widget = self.fields["symbol"].widget
        assert isinstance(widget, forms.Select)
        widget.choices = [("", pgettext("symbol", "None")), *((shape, shape) for shape in shapes)]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        colour, light, dark = (cleaned.get(name, "") for name in ("colour", "colour_light", "colour_dark"))
        if colour and (colour != light or not dark):
            cleaned["colour_light"], cleaned["colour_dark"] = for_both_themes(colour)
        elif not self.errors and not (light and dark):
            self.add_error("colour", gettext("Choose a colour."))
        if not self.errors:
            try:
                Tier(**self.tier())
            except ValueError as error:
                raise ValidationError(f"{error}.") from error
        return cleaned

    def tier(self) -> dict[str, Any]:
        """Return the tier of a valid row, as `tiers_from_list` reads it."""
        return {name: self.cleaned_data[name] for name in ("name", "minimum", "colour_light", "colour_dark", "symbol")}


#: The errors of two tiers that share a value.
_TWICE = {
    "name": gettext_lazy("Another tier also has this name. Each tier needs its own."),
    "symbol": gettext_lazy("Another tier also has this symbol. Each tier needs its own."),
    "minimum": gettext_lazy("Another tier also has this threshold. Each tier needs its own."),
}
_NO_THRESHOLD_TWICE = gettext_lazy("Another tier also has no threshold. Only the lowest can have none.")


class _Rows(forms.BaseFormSet):
    """Tiers in any order, which `tiers` sorts by their thresholds."""

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Require every row, because an empty one is not meant to be left out."""
        return {**super().get_form_kwargs(index), "empty_permitted": False}

    def clean(self) -> None:
        rows = [form for form in self.kept() if form.is_valid()]
        for what, refusal in _TWICE.items():
            seen: set[object] = set()
            for form in rows:
                if what not in form.cleaned_data:
                    continue
                value = form.cleaned_data[what]
                value = value.casefold() if isinstance(value, str) else value
                if value in seen:
                    form.add_error(what, refusal if value is not None else _NO_THRESHOLD_TWICE)
                seen.add(value)
        if any(not form.is_valid() for form in self.kept()):
            return
        if not rows:
            raise ValidationError(gettext("Keep at least one tier."))
        if all(form.cleaned_data["minimum"] is not None for form in rows):
            lowest = min(rows, key=lambda form: form.cleaned_data["minimum"])
            lowest.add_error("minimum", gettext("The lowest tier has no threshold. Clear this field."))

    def kept(self) -> list[TierForm]:
        """Return the rows that are not marked for removal."""
        return [form for form in self.forms if not form.cleaned_data.get("DELETE")]

    def refuse_above(self, range_: float) -> None:
        """Add errors to thresholds above the greatest displayed rating."""
        for form in self.kept():
            if (form.cleaned_data.get("minimum") or 0) > range_:
                form.add_error(
                    "minimum",
                    gettext("No displayed rating exceeds %(range_)s. Enter a lower threshold.")
                    % {"range_": grouped(round(range_))},
                )

    def tiers(self) -> Tiers:
        """Return the tiers of valid rows, lowest first; raise ValueError if they are not allowed."""
        rows = [form.tier() for form in self.kept()]
        return tiers_from_list(sorted(rows, key=lambda row: (row["minimum"] is not None, row["minimum"] or 0)))


def tier_rows(tiers: Sequence[Mapping[str, Any]], *, more: int = 0) -> Any:
    """Return a form with these tiers, and as many empty rows."""
    rows = [dict(tier) for tier in tiers][:MOST_TIERS]
    rows += [dict(_NEW)] * min(more, MOST_TIERS - len(rows))
    return _of(0)(initial=rows, prefix=PREFIX)


def written_rows(data: Mapping[str, Any]) -> Any:
    """Return a bound formset with the posted rows."""
    return _of(0)(data, prefix=PREFIX)


def has_rows(data: Mapping[str, Any]) -> bool:
    """Return whether the posted form has rows of tiers, which are hidden for the recommended tiers."""
    return f"{PREFIX}-TOTAL_FORMS" in data


def as_written(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the posted rows unchecked, without those marked for removal."""
    total = min(whole_number_of(str(data.get(f"{PREFIX}-TOTAL_FORMS", "")), most=999) or 0, MOST_TIERS)
    return [
        {name: data.get(f"{PREFIX}-{number}-{name}", "") for name in TierForm.base_fields}
        for number in range(total)
        if not data.get(f"{PREFIX}-{number}-DELETE")
    ]


def _of(extra: int) -> Any:
    return forms.formset_factory(
        TierForm,
        formset=_Rows,
        extra=extra,
        can_delete=True,
        max_num=MOST_TIERS,
        absolute_max=2 * MOST_TIERS,
        validate_max=True,
    )
