"""The forecast of a contest: the change for each place, the place that a goal takes, the chance against a rival."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from contests.models import Contest, ContestState, Player, Series
from contests.queries.visibility import visible_players, visible_series
from contests.whole_numbers import whole_number_of
from ratings.database import consistent_read
from ratings.models import Rating
from ratings.queries.rows import leaders
from ratings.queries.search import nearest_players, player_of
from ratings.queries.snapshot import snapshot_of, wait_state
from web.public.forecast.queries import chance_ahead, forecast_contest, terms_of
from web.public.forecast.rows import HEIGHT, WIDTH, forecast_of
from web.shared.params import text_of

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User
    from django.http import HttpRequest, HttpResponse

    from ratings.queries.snapshot import SeriesSnapshot

#: How many of the newest contests the form offers.
CONTESTS_OFFERED = 12
#: Examples for whoever has not named a player: so many of the best, and as many from the middle.
EXAMPLES = 3
_FARTHEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Named:
    """A player as somebody typed it: `player` is None for nobody (then `alike` are those who are called like it)."""

    text: str
    player: Player | None
    rating: Rating | None
    alike: list[Player]


def what_if(request: HttpRequest, slug: str) -> HttpResponse:
    """Forecast a contest for the player that is asked for; without one, say what the page can do."""
    with consistent_read():
        series = get_object_or_404(visible_series(request.user), slug=slug)
        snapshot = snapshot_of(series)
        context: dict[str, Any] = {"series": series, "snapshot": snapshot, "waiting": wait_state(series.pk)[0]}
        if snapshot.run is None:
            return render(request, "forecast/forecast.html", context)
        asked, status = _asked(request, snapshot)
        context |= asked
        if asked["player"] is not None and asked["terms"] is not None:
            context |= _forecast(snapshot, asked)
        else:
            context |= {"examples": _examples(snapshot)}
    return render(request, "forecast/forecast.html", context, status=status)


def _asked(request: HttpRequest, snapshot: SeriesSnapshot) -> tuple[dict[str, Any], int]:
    """Return what the form asks for, its problems in words, and the status of the answer."""
    named, rival = (_named(request, name, snapshot) for name in ("player", "rival"))
    contest, unknown_contest = _contest(request, snapshot)
    target, is_odd = _target(request, snapshot)
    problems = []
    if unknown_contest:
        problems.append(
            _("There is no such contest in this series. This is the forecast for a contest like its newest one.")
        )
    if is_odd:
        problems.append(_("The rating to reach must be a whole number on the scale of this series."))
    context = {
        "named": named,
        "rival": rival,
        "player": named.player,
        "contest": contest,
        "terms": terms_of(snapshot, contest, request.user),
        "target": target,
        "target_text": text_of(request, "target")[:12],
        "problems": problems,
        "choices": _choices(snapshot, request.user, contest),
    }
    unknown = unknown_contest or any(each.text and each.player is None for each in (named, rival))
    return context, 404 if unknown else 400 if is_odd else 200


def _named(request: HttpRequest, name: str, snapshot: SeriesSnapshot) -> Named:
    text = text_of(request, name)
    players = visible_players(request.user)
    player = player_of(text) if text else None
    player = players.filter(pk=player.pk).first() if player is not None else None
    if player is None:
        return Named(text, None, None, nearest_players(text, players) if text else [])
    return Named(text, player, Rating.objects.filter(series=snapshot.series, player=player).first(), [])


def _contest(request: HttpRequest, snapshot: SeriesSnapshot) -> tuple[Contest | None, bool]:
    """Return the contest that is asked for, and whether there is none such that the visitor may know of."""
    text = text_of(request, "contest")
    if not text:
        return None, False
    pk = whole_number_of(text) or 0
    contest = _known_contests(snapshot, request.user).filter(pk=pk).first()
    return contest, contest is None


def _known_contests(snapshot: SeriesSnapshot, user: User | AnonymousUser) -> Any:
    """The series' rated contests, and those to come that the visitor may know of."""
    contests = Contest.objects.filter(series=snapshot.series)
    drafts = Q(state=ContestState.DRAFT)
    if not Series.objects.organized_by(user).filter(pk=snapshot.series.pk).exists():
        drafts &= Q(is_announced=True)
    return contests.filter(drafts | Q(state=ContestState.FINALIZED, is_rated=True))


def _choices(snapshot: SeriesSnapshot, user: User | AnonymousUser, chosen: Contest | None) -> dict[str, list[Contest]]:
    """Return what the form offers: contests to come, and the newest that have been; the chosen one always."""
    newest = list(_known_contests(snapshot, user).newest_first()[:CONTESTS_OFFERED])
    if chosen is not None and chosen not in newest:
        newest.append(chosen)
    return {
        "coming": [contest for contest in newest if contest.is_draft],
        "rated": [contest for contest in newest if not contest.is_draft],
    }


def _target(request: HttpRequest, snapshot: SeriesSnapshot) -> tuple[int | None, bool]:
    """Return the rating to reach, and whether something else than a number was given."""
    text = text_of(request, "target").replace("\u2212", "-")
    if not text:
        return None, False
    digits = text[1:] if text[0] in "+-" else text
    number = whole_number_of(digits, most=_FARTHEST)
    if number is None:
        return None, True
    return (-number if text[0] == "-" else number), False


def _forecast(snapshot: SeriesSnapshot, asked: dict[str, Any]) -> dict[str, Any]:
    named, rival, terms = asked["named"], asked["rival"], asked["terms"]
    contest_forecast = forecast_contest(snapshot, terms, named.player)
    if contest_forecast is None:
        return {"forecast": None, "is_alone": True}
    forecast = forecast_of(snapshot, contest_forecast, named.rating, asked["target"])
    context = {
        "forecast": forecast,
        "width": f"{WIDTH:.0f}",
        "height": f"{HEIGHT:.0f}",
        "points": snapshot.rating(named.rating.score) if named.rating else forecast.before,
        "is_thinned": contest_forecast.is_thinned,
        "trial_size": contest_forecast.trial.size,
        "has_teams": contest_forecast.trial.teams is not None,
        "weight": terms.weight,
    }
    if rival.player is not None and rival.player != named.player:
        context["chance"] = 100.0 * chance_ahead(snapshot, named.rating, rival.rating)
        context["rival_points"] = snapshot.rating(rival.rating.score) if rival.rating else None
    return context


def _examples(snapshot: SeriesSnapshot) -> dict[str, Any]:
    """Return some of the best, and some from the middle, to try the page with."""
    middle = len(snapshot.index) // 2
    ids = [*snapshot.index.player_ids[:EXAMPLES], *snapshot.index.player_ids[max(EXAMPLES, middle) :][:EXAMPLES]]
    rows = leaders(snapshot, [int(pk) for pk in ids])
    return {"best": rows[:EXAMPLES], "middle": rows[EXAMPLES:]}
