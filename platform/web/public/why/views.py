"""The page that explains a player's rating change in one contest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import redirect, render
from django.urls import reverse

from contests.models import Contest, Player, Standing
from contests.team_labels import number_of_unnamed
from ratings.database import consistent_read
from ratings.descriptions import description_of
from ratings.models import RatingChange
from ratings.queries.contest_kinds import is_of_games
from ratings.queries.roll_backs import rates_other_results
from ratings.queries.rows import uncertainty_of
from ratings.queries.search import nearest_players, player_of
from ratings.queries.snapshot import snapshot_of, wait_state
from ratings.systems import SYSTEMS
from web.public.why.queries import ExplainedChange, explain_change
from web.public.why.rows import (
    duel_of,
    duel_opponent,
    in_tenths,
    opponent_rows,
    outweighed_by,
    past_rows,
    place_line,
    sides,
    sum_rows,
)
from web.shared.contest_deleted import contest_or_page
from web.shared.numbers import points, share_words, signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse

    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems.explain import Explanation
    from web.public.why.rows import SumRow

#: Performances with at least this share of their full weight count as undamped.
_DAMPED_BELOW = 0.9


def why(request: HttpRequest, pk: int, handle: str) -> HttpResponse:
    """Explain a player's rating change in a contest; redirect from other spellings of the handle."""
    with consistent_read():
        contest = contest_or_page(request, pk)
        if not isinstance(contest, Contest):
            return contest
        player = player_of(contest.series.community_id, handle, request.user)
        standing = Standing.objects.filter(contest=contest, player=player).first() if player else None
        change = RatingChange.objects.current().filter(contest=contest, player=player).first() if player else None
        if player is not None and player.handle != handle and (standing or change):
            response = redirect(reverse("why", args=[pk, player.handle]), permanent=True)
            response["Cache-Control"] = "no-cache"
            return response
        snapshot = snapshot_of(contest.series)
        context: dict[str, object] = _frame(contest, snapshot) | {"player": player, "handle": handle[:200]}
        if player is None or change is None:
            context |= _without_change(contest, player, handle, standing)
            return render(request, "why/not_rated.html", context, status=200 if standing else 404)
        context |= _context(snapshot, contest, change) | _terms(snapshot, standing)
        context["rates_other_results"] = rates_other_results(snapshot.run, contest)
    return render(request, "why/why.html", context)


def _terms(snapshot: SeriesSnapshot, standing: Standing | None) -> dict[str, object]:
    """Return the share that the player took part in and the handicap, as texts; None without either."""
    share, handicap = (standing.share, standing.handicap) if standing is not None else (None, None)
    return {
        "played": None if share is None else share_words(share),
        "handicap": None if handicap is None else signed(handicap),
        "counts_share": SYSTEMS[snapshot.system].rates_partial_play,
    }


def _frame(contest: Contest, snapshot: SeriesSnapshot) -> dict[str, object]:
    waiting = wait_state(contest.series_id)[0]
    return {"contest": contest, "series": contest.series, "snapshot": snapshot, "waiting": waiting}


def _without_change(
    contest: Contest, player: Player | None, handle: str, standing: Standing | None
) -> dict[str, object]:
    """Return the context of a page without a change: the reason, or participants with similar handles."""
    participants = Player.objects.existing().filter(standings__contest=contest)
    similar = nearest_players(handle, participants) if standing is None else []
    return {
        "standing": standing,
        "similar": similar,
        "has_changes": RatingChange.objects.current().filter(contest=contest).exists(),
        "player": player if standing is not None else None,
    }


def _context(snapshot: SeriesSnapshot, contest: Contest, change: RatingChange) -> dict[str, object]:
    explained = explain_change(snapshot, contest, change)
    before, after = (
        snapshot.rating_of(change.mu_before, change.sigma_before),
        snapshot.rating_of(change.mu, change.sigma),
    )
    explanation, situation = explained.explanation, explained.explanation.situation
    up, down = opponent_rows(snapshot, explained)
    is_duel = len(situation) == 2
    is_game = is_duel and is_of_games(snapshot)
    rows = sum_rows(snapshot, explained, after - before, is_game=is_game) if explained.is_exact else []
    description = description_of(snapshot.system)
    ceiling = explained.rated.perf_ceiling if explained.rated is not None else None
    is_capped = ceiling is not None and change.performance >= ceiling
    own_team = explained.team[situation.own] if explained.team is not None else ""
    return {
        "change": change,
        **_weight(snapshot, explained.rated),
        "explained": explained,
        "before": before,
        "after": after,
        "difference": after - before,
        "performance": snapshot.mapping.show(change.performance) if snapshot.has_performance else None,
        "adds_up": description.adds_up % {"before": points(snapshot.rating(change.mu_before))},
        "cannot_split": description.cannot_split if len(situation) > 2 else "",
        "place": situation.place,
        "middle_place": situation.middle_place,
        "expected": situation.expected_place,
        "is_game": is_game,
        "duel": duel_of(situation) if is_duel else None,
        "opponent": next(iter((*up, *down)), None) or duel_opponent(snapshot, explained) if is_duel else None,
        "better_by": situation.expected_place - situation.middle_place,
        "entries": len(situation),
        "tied": situation.tied - 1,
        "team": "" if number_of_unnamed(own_team) else own_team,
        "is_in_unnamed_team": bool(number_of_unnamed(own_team)),
        "line": place_line(situation.expected_place, situation.middle_place, len(situation)),
        "rows": rows,
        "has_levels": any(row.level is not None for row in rows),
        "has_weights": any(row.weight for row in rows),
        "past_rows": past_rows(snapshot, explained) if explained.is_exact else [],
        "weight": _weight_shown(rows, explanation),
        "damped": explanation.damping if (explanation.damping or 1.0) < _DAMPED_BELOW else None,
        "damping": 100.0 * (explanation.damping or 1.0),
        "up": up,
        "in_tenths": in_tenths((*up, *down)),
        "down": down,
        "sides": sides(explained),
        "is_capped": is_capped,
        "outweighed_by": outweighed_by(explained, after - before, is_capped=is_capped),
        "is_newcomer": explained.idle_days is None,
        "drifted_from": explained.last_rating if explained.last_rating != before else None,
        "points_each": explained.factor if snapshot.mapping.step is None else None,
        **_uncertainty(snapshot, explained),
    }


def _weight_shown(rows: Sequence[SumRow], explanation: Explanation) -> float | None:
    """Return the weight of the contest in percent, rounded as in the table if there is one; None without weights."""
    if rows:
        return next((row.weight for row in rows if row.kind == "contest"), None)
    return next((100.0 * part.weight for part in explanation.parts if part.kind == "contest" and part.weight), None)


def _weight(snapshot: SeriesSnapshot, rated: Contest | None) -> dict[str, object]:
    """
    Return the weight with which the contest counts, and how its duration changes that of the organizers.

    Without the contest as it was rated, the page doesn't mention them.
    """
    assert snapshot.run is not None
    if rated is None:
        return {"rated": None, "duration_rules": None}
    scheme, rules = snapshot.run.scheme, snapshot.run.scheme.duration_rules
    hours = (rated.ends_at - rated.starts_at).total_seconds() / 3600 if rated.starts_at is not None else 0.0
    return {
        "rated": rated,
        "counted_weight": scheme.weight_of(rated),
        "duration_rules": rules,
        "duration_hours": round(hours, 2),
        "duration_factor": rules.factor(rated.starts_at, rated.ends_at) if rules is not None else None,
    }


def _uncertainty(snapshot: SeriesSnapshot, explained: ExplainedChange) -> dict[str, object]:
    """Return the uncertainty before the contest, with the drift until it, and after it, in displayed points."""
    if snapshot.sigma_means == "nothing":
        return {"sigmas": None}
    change, drifted = explained.change, explained.explanation.sigma_drifted
    earlier = snapshot.centre(change.mu_before, change.sigma_before)
    before, grown = (int(uncertainty_of(snapshot, earlier, sigma)) for sigma in (change.sigma_before, drifted))
    after = int(uncertainty_of(snapshot, snapshot.centre(change.mu, change.sigma), change.sigma))
    return {"sigmas": {"before": before, "grown": grown, "after": after, "by_contest": after - grown}}
