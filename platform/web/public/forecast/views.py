"""The forecast of a contest: the rating change by place, the place that a goal needs, the chance against a rival."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.shortcuts import render
from django.utils.translation import gettext as _

from contests.models import Contest, ContestState, Player, Series, Standing
from contests.queries.visibility import visible_players
from contests.whole_numbers import number_or_zero, whole_number_of
from ratings.database import consistent_read
from ratings.derived.draws import draw_rate_of, ties_are_rare
from ratings.derived.favored import favored_in
from ratings.models import Rating, RatingChange
from ratings.queries.boards import board_of
from ratings.queries.filters import example_players
from ratings.queries.search import nearest_players, player_named
from ratings.queries.snapshot import snapshot_of, wait_state
from ratings.systems.contest import days_since_1970
from web.public.forecast.field import RECENT, opponent_of, terms_of
from web.public.forecast.queries import chance_ahead, forecast_contest
from web.public.forecast.rows import HEIGHT, WIDTH, forecast_of
from web.shared.good_contests import RECENT as CONTESTS_OF_FORM
from web.shared.good_contests import SETTLING
from web.shared.params import series_at, text_of

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import AnonymousUser, User
    from django.http import HttpRequest, HttpResponse

    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.forecast.field import Terms
    from web.shared.params import SeriesPath

#: The number of contests in the form.
CONTESTS_OFFERED = 12
#: The number of example players from the top and from the middle of the leaderboard.
EXAMPLES = 3
#: Beyond every possible rating.
_FARTHEST = 1_000_000


@dataclass(frozen=True, slots=True)
class EnteredPlayer:
    """The player with the entered handle, or None and the players with similar handles."""

    text: str
    player: Player | None
    rating: Rating | None
    similar: list[Player]


def what_if(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Forecast a contest for the requested player; without one, show how the page works."""
    with consistent_read():
        series = series_at(request, at)
        snapshot = snapshot_of(series)
        context: dict[str, Any] = {"series": series, "snapshot": snapshot, "waiting": wait_state(series.pk)[0]}
        if snapshot.run is None:
            return render(request, "forecast/forecast.html", context)
        form, status = _read_form(request, snapshot)
        context |= form
        if form["player"] is not None and form["terms"] is not None:
            context |= _forecast(snapshot, form)
        else:
            context |= {"examples": _examples(snapshot)}
    return render(request, "forecast/forecast.html", context, status=status)


def _read_form(request: HttpRequest, snapshot: SeriesSnapshot) -> tuple[dict[str, Any], int]:
    """Return the values of the form with its problems in words, and the status of the response."""
    named, rival = (_named(request, name, snapshot) for name in ("player", "rival"))
    contest, unknown_contest = _contest(request, snapshot)
    target, is_invalid = _target(request, snapshot)
    problems = []
    if unknown_contest:
        problems.append(
            _("There is no such contest in this series. This is the forecast for a typical contest instead.")
        )
    if is_invalid:
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
    return context, 404 if unknown else 400 if is_invalid else 200


def _named(request: HttpRequest, name: str, snapshot: SeriesSnapshot) -> EnteredPlayer:
    text = text_of(request, name)
    players = visible_players(request.user).filter(community=snapshot.series.community_id)
    player = player_named(snapshot.series.community_id, text, request.user) if text else None
    if player is None:
        return EnteredPlayer(text, None, None, nearest_players(text, players) if text else [])
    ratings = Rating.objects.filter(series=snapshot.series, player=player).select_related("last_contest")
    return EnteredPlayer(text, player, ratings.first(), [])


def _contest(request: HttpRequest, snapshot: SeriesSnapshot) -> tuple[Contest | None, bool]:
    """Return the requested contest, and whether it is unknown or hidden from the visitor."""
    text = text_of(request, "contest")
    if not text:
        return None, False
    pk = number_or_zero(text)
    contest = _known_contests(snapshot, request.user).filter(pk=pk).first()
    return contest, contest is None


def _known_contests(snapshot: SeriesSnapshot, user: User | AnonymousUser) -> Any:
    """Return the series' rated contests, and the drafts that the visitor may know of."""
    contests = Contest.objects.filter(series=snapshot.series, is_event=False)
    drafts = Q(state=ContestState.DRAFT)
    if not Series.objects.organized_by(user).filter(pk=snapshot.series.pk).exists():
        drafts &= Q(is_announced=True)
    return contests.filter(drafts | Q(state=ContestState.FINALIZED, is_rated=True))


def _choices(snapshot: SeriesSnapshot, user: User | AnonymousUser, chosen: Contest | None) -> dict[str, list[Contest]]:
    """Return the contests in the form: drafts and the newest rated ones, always including the chosen one."""
    newest = list(_known_contests(snapshot, user).newest_first()[:CONTESTS_OFFERED])
    if chosen is not None and chosen not in newest:
        newest.append(chosen)
    return {
        "coming": [contest for contest in newest if contest.is_draft],
        "rated": [contest for contest in newest if not contest.is_draft],
    }


def _target(request: HttpRequest, snapshot: SeriesSnapshot) -> tuple[int | None, bool]:
    """Return the rating to reach, and whether the entered text is not a valid number."""
    text = text_of(request, "target").replace("\u2212", "-")
    if not text:
        return None, False
    digits = text[1:] if text[0] in "+-" else text
    number = whole_number_of(digits, most=_FARTHEST)
    if number is None:
        return None, True
    return (-number if text[0] == "-" else number), False


def _forecast(snapshot: SeriesSnapshot, form: dict[str, Any]) -> dict[str, Any]:
    named, rival, terms = form["named"], form["rival"], form["terms"]
    opponent = opponent_of(snapshot, terms, named.player, rival.player)
    terms = replace(terms, opponent=opponent)
    contest_forecast = forecast_contest(snapshot, terms, named.player)
    if contest_forecast is None:
        return {"forecast": None, "is_alone": True}
    draw_rate = draw_rate_of(snapshot)
    differences = _differences(snapshot, named.player)
    ties_happen = not contest_forecast.is_game and not ties_are_rare(snapshot)
    forecast = forecast_of(
        snapshot, contest_forecast, named.rating, form["target"], differences, draw_rate, has_ties=ties_happen
    )
    assert snapshot.run is not None
    context = {
        "forecast": forecast,
        "terms": terms,
        "recent": RECENT,
        "recent_opponents": min(RECENT, named.rating.contest_count) if named.rating else 0,
        "has_ties": any(row.tied is not None for row in forecast.rows),
        "ties_happen": ties_happen,
        "width": f"{WIDTH:.0f}",
        "height": f"{HEIGHT:.0f}",
        "inactive_since": _inactive_since(snapshot, named.rating),
        "points": snapshot.rating(named.rating.score) if named.rating else forecast.before,
        "is_sampled": contest_forecast.is_sampled,
        "trial_size": contest_forecast.trial.size,
        "has_teams": contest_forecast.trial.teams is not None,
        "weight": terms.weight_in(snapshot.run.scheme),
    }
    if forecast.outcomes:
        context |= _favored(snapshot, terms, named, forecast.expected_score)
    if rival.player is not None and rival.player != named.player:
        context["chance"] = 100.0 * chance_ahead(snapshot, named.rating, rival.rating, draw_rate)
        context["rival_points"] = snapshot.rating(rival.rating.score) if rival.rating else None
    return context


def _inactive_since(snapshot: SeriesSnapshot, rating: Rating | None) -> datetime | None:
    """Return the end of the last contest of a player who is no longer active; None for all others."""
    if rating is None:
        return None
    end = rating.last_contest.ends_at
    return None if board_of(snapshot).is_active(days_since_1970(end)) else end


def _favored(snapshot: SeriesSnapshot, terms: Terms, named: EnteredPlayer, expected: float) -> dict[str, Any]:
    """Return who is favoured in a two-player game, and the opponent."""
    opponent = terms.opponent
    if opponent is None:
        ranked, rated = Standing.objects.ranked(), RatingChange.objects.current()
        entries: Any = (ranked if terms.is_own_field else rated).filter(contest=terms.like)
        opponent = Player.objects.get(pk=entries.exclude(player=named.player).values("player")[:1])
    rating = Rating.objects.filter(series=snapshot.series, player=opponent).first()
    return {"favored": favored_in(snapshot, [[named.rating], [rating]], expected), "opponent": opponent}


def _differences(snapshot: SeriesSnapshot, player: Player) -> list[int]:
    """Return the rating changes of the player's newest contests, oldest first, without those of the first ones."""
    changes = RatingChange.objects.current().filter(series=snapshot.series, player=player, number__gt=SETTLING)
    rows = changes.order_by("-number").values_list("mu_before", "sigma_before", "mu", "sigma")[:CONTESTS_OF_FORM]
    return [snapshot.change(*row) for row in rows][::-1]


def _examples(snapshot: SeriesSnapshot) -> dict[str, Any]:
    """Return example players from the top and from the middle of the leaderboard's default list."""
    best, middle = example_players(snapshot, EXAMPLES)
    return {"best": best, "middle": middle}
