"""The form that adds one game: two players, who won, the day, and the handicap that makes the game even."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from django import forms
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from contests.changes.base import propose
from contests.changes.of_games import AddGame
from contests.errors import ContestError
from contests.formats.games.building import LONGEST_ROUND
from contests.formats.values import MAX_HANDICAP
from contests.handles import lookup_key
from contests.models import ContestState
from contests.plain_text import plain_text
from contests.queries.games import game_rows
from contests.queries.names import players_by_key
from contests.queries.visibility import visible_players
from contests.services.events import GameEntry
from ratings.database import consistent_read
from ratings.publishing.schemes import scheme_of
from ratings.queries.head_to_head import system_of
from ratings.queries.matchmaking import handicap_for_even
from ratings.queries.snapshot import snapshot_of
from ratings.systems import get_system
from web.shared.access import actor, organizer_page, own_series
from web.shared.form_fields import FIRST_YEAR, LAST_YEAR, DayInput, DecimalField, short
from web.shared.similar_names import similar_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse

    from contests.models import Player, Series
    from contests.models.community import Visitor
    from web.shared.params import SeriesPath
    from web.shared.similar_names import SimilarName

#: Events that the form offers, and games that it shows to confirm what was added.
EVENTS_OFFERED, GAMES_SHOWN = 20, 6
_LONGEST_SIDE = 1_000
_BETTER = {"first": 1, "draw": 0, "second": -1}
_HANDICAP: dict[str, Any] = {
    "required": False,
    "min_value": -MAX_HANDICAP,
    "max_value": MAX_HANDICAP,
}
#: Only the names matter here, so the day and the result are made up: a win, to tell the sides apart.
_SOME_DAY = date(2000, 1, 1)


class GameForm(forms.Form):
    """One game. The result is the button that was pressed."""

    first = forms.CharField(max_length=_LONGEST_SIDE, validators=[plain_text])
    second = forms.CharField(max_length=_LONGEST_SIDE, validators=[plain_text])
    result = forms.ChoiceField(
        choices=[(name, name) for name in _BETTER],
        error_messages={"required": gettext_lazy("Press the button with the result.")},
    )
    day = forms.DateField(
        label=gettext_lazy("Date"),
        widget=DayInput(),
        help_text=gettext_lazy("The day of the game, in UTC."),
    )
    event = forms.TypedChoiceField(
        label=gettext_lazy("Event"),
        required=False,
        coerce=int,
        empty_value=None,
        help_text=gettext_lazy(
            "The tournament that the game belongs to. If you choose “Other games of that day”, the game is "
            "added to them."
        ),
    )
    round = forms.CharField(
        label=gettext_lazy("Round"), max_length=LONGEST_ROUND, required=False, validators=[plain_text]
    )
    handicap_first = DecimalField(label=gettext_lazy("For the first side"), **_HANDICAP)
    handicap_second = DecimalField(label=gettext_lazy("For the second side"), **_HANDICAP)
    is_walkover = forms.BooleanField(
        label=gettext_lazy("Walkover"),
        required=False,
        help_text=gettext_lazy("One side won without playing. Podium lists the result, but does not rate it."),
    )

    def __init__(self, *args: Any, series: Series, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        events = series.contests.existing().filter(is_event=True)
        if series.needs_approval:
            events = events.filter(state=ContestState.DRAFT)
        names = [(event.pk, event.name) for event in events.newest_first()[:EVENTS_OFFERED]]
        self.fields["event"].choices = [("", gettext("Other games of that day")), *names]  # type: ignore[attr-defined]

    def clean_day(self) -> date:
        day: date = self.cleaned_data["day"]
        if not FIRST_YEAR <= day.year <= LAST_YEAR:
            raise forms.ValidationError(
                gettext("The year must be between %(first_year)s and %(last_year)s.")
                % {"first_year": FIRST_YEAR, "last_year": LAST_YEAR}
            )
        return day

    def entry(self) -> GameEntry:
        """Return the game in a valid form."""
        said = self.cleaned_data
        return GameEntry(
            (said["first"], said["second"]), _BETTER[said["result"]], said["day"], said["is_walkover"], said["round"],
            said["event"], (said["handicap_first"], said["handicap_second"]),
        )  # fmt: skip


@organizer_page
def add(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the form, ask once about new names that resemble known ones, and continue with a preview of the game."""
    series = own_series(request, at)
    if request.method == "POST" and request.POST.get("show") == "even":
        return _suggest_handicap(request, series)
    if "use_first" in request.POST or "use_second" in request.POST:
        return _use_suggested(request, series)
    initial = {"day": timezone.localdate(), "event": request.GET.get("event", "")}
    form = GameForm(request.POST or None, series=series, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            entry = form.entry()
            entry.parsed()  # refuses an invalid game before the question about its players
            sides = {name: text.split(" + ") for name, text in zip(("first", "second"), entry.sides, strict=True)}
            if similar := similar_names(series, sides, asked=request.POST.getlist("asked")):
                return _page(request, series, form, similar=similar)
            return propose(AddGame.of(series, entry))
        except ContestError as error:
            form.add_error(None, str(error))
    return _page(request, series, form)


def _use_suggested(request: HttpRequest, series: Series) -> HttpResponse:
    """Show the form with the chosen player, so that the organizer presses the result; add nothing."""
    typed = {name: request.POST.get(name, "") for name in GameForm.base_fields}
    for side in ("first", "second"):
        typed[side] = request.POST.get(f"use_{side}", typed[side])
    return _page(request, series, GameForm(series=series, initial=typed))


def _suggest_handicap(request: HttpRequest, series: Series) -> HttpResponse:
    """Show the form with the handicap that makes the game even, in the field of the weaker side; add nothing."""
    typed = {name: request.POST.get(name, "") for name in GameForm.base_fields}
    try:
        advantage = _rounded(_even_advantage(actor(request), series, (typed["first"], typed["second"])))
    except ContestError as error:
        return _page(request, series, GameForm(series=series, initial=typed), problem=str(error))
    typed["handicap_first"] = str(advantage) if advantage > 0 else ""
    typed["handicap_second"] = str(-advantage) if advantage < 0 else ""
    return _page(request, series, GameForm(series=series, initial=typed), advantage=advantage)


def _even_advantage(user: Visitor, series: Series, sides: tuple[str, str]) -> float:
    """
    Return the advantage of the first side, in rating points, with which both have the same chances.

    Negative if the second side needs it. ContestError if a side is empty or unknown, or if the series has no ratings.
    """
    if not all(side.strip() for side in sides):
        raise ContestError(gettext("Enter both players first."))
    game = GameEntry(sides, 1, _SOME_DAY).parsed()
    with consistent_read():
        snapshot = snapshot_of(series)
        if snapshot.run is None:
            raise ContestError(gettext("This series has no ratings yet, so Podium cannot suggest a handicap."))
        if game.has_teams and not system_of(snapshot).rates_teams:
            raise ContestError(gettext("The rating system of this series rates individual players only."))
        keys = {lookup_key(row.handle) for row in game.standings}
        known = players_by_key(series.community_id, keys, user, visible_players(user))
        players: tuple[list[Player], list[Player]] = ([], [])
        for row, rank in zip(game.standings, game.ranks, strict=True):
            player = known.get(lookup_key(row.handle))
            if player is None:
                raise ContestError(
                    gettext(
                        "Podium does not know “%(handle)s” yet, so it cannot suggest a handicap. Check the spelling."
                    )
                    % {"handle": row.handle}
                )
            players[rank != 1].append(player)
        everyone = [player.pk for side in players for player in side]
        if len(set(everyone)) < len(everyone):
            raise ContestError(gettext("A player is in this game twice. Correct one of the names."))
        advantage = handicap_for_even(snapshot, *players)
    if advantage is None:
        raise ContestError(gettext("The rating system of this series does not support handicaps."))
    return advantage


def _rounded(points: float) -> float:
    """Return a number rounded to three digits or more, because ratings are 25 in some systems and 1500 in others."""
    return short(round(points, 0 if abs(points) >= 100 else 1 if abs(points) >= 10 else 2) + 0.0)


def _page(
    request: HttpRequest,
    series: Series,
    form: GameForm,
    *,
    advantage: float | None = None,
    problem: str = "",
    similar: Sequence[SimilarName] = (),
) -> HttpResponse:
    scheme = scheme_of(series.pk)
    newest = series.contests.existing().filter(is_event=False).exclude(event=None).order_by("-pk")[:GAMES_SHOWN]
    context = {
        "form": form,
        "series": series,
        "rows": game_rows(list(newest)),
        "has_handicaps": get_system(scheme.system, **scheme.parameters).rates_handicaps,
        "weaker": form["first" if (advantage or 0) > 0 else "second"].value(),
        "advantage": advantage,
        "points": abs(advantage or 0),
        "problem": problem,
        "similar": similar,
        "show_handicaps": request.POST.get("show") == "even"
        or form.has_error("handicap_first")
        or form.has_error("handicap_second"),
    }
    return render(request, "organize/games/game_form.html", context, status=422 if problem or form.errors else 200)
