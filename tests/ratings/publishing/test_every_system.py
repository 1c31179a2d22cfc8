"""Every rating system: append, replay, preview and export give the same numbers, also for teams."""

import csv
import math

import numpy as np
import pytest
from django.core.management import call_command

from contests.errors import ContestError
from contests.models import Contest
from contests.services.contests import finalize_contest
from contests.services.correcting import Correction, correct_standing
from ratings.models import Rating, RatingChange, Run
from ratings.publishing.projection import preview_contest
from ratings.publishing.schemes import choose_scheme
from ratings.systems import SYSTEMS, get_system, replay
from ratings.systems import Contest as Field
from tests.factories import make_contest, make_series, rate
from tests.ratings.publishing.test_refresh import changes, ratings

every_system = pytest.mark.parametrize("system", SYSTEMS)
systems_of_teams = pytest.mark.parametrize("system", [name for name in SYSTEMS if SYSTEMS[name].rates_teams])
PARAMETERS = {"kreimeier": {"decay": 0.1, "period_days": 1.0}}
ROUNDS = (
    [("ann", 1), ("bob", 2), ("cid", 2), ("dee", 4)],
    [("dee", 1), ("eve", 2)],
    [("bob", 1), ("fay", 1), ("ann", 3), ("gus", 4), ("cid", 4)],
    [("gus", 1), ("ann", 1)],
    [("hal", 1), ("ida", 1), ("bob", 3)],
    [("cid", 1), ("hal", 2), ("ann", 3)],
)


def make_rated(system: str, rounds=ROUNDS):
    """A series rated contest by contest."""
    series = make_series()
    choose_scheme(series.pk, system=system, parameters=PARAMETERS.get(system))
    for standings in rounds:
        make_contest(series, standings=standings)
        rate(series)
    return series


def day_of(contest):
    return contest.ends_at.timestamp() / 86_400


def ratings_by_handle(series):
    rows = Rating.objects.filter(series=series).order_by("player__handle")
    return list(rows.values_list("player__handle", "mu", "sigma"))


@every_system
@pytest.mark.django_db
def test_rating_contest_by_contest_gives_the_same_bits_as_a_replay(system):
    series = make_rated(system)
    assert Run.objects.current(series.pk).kind == "append"
    appended = ratings(series), changes(series), Run.objects.current(series.pk).input_hash
    run = rate(series, full=True)
    assert (run.kind, run.changed_count) == ("replay", 0)
    assert (ratings(series), changes(series), run.input_hash) == appended


@every_system
@pytest.mark.django_db
def test_what_is_stored_is_what_the_library_computes(system):
    series = make_rated(system)
    contests = list(series.contests.rated().in_order())
    handles = sorted({handle for standings in ROUNDS for handle, _ in standings})
    fields = [
        Field(
            [handles.index(h) for h, _ in standings],
            [place for _, place in standings],
            day=day_of(c),
        )
        for c, standings in zip(contests, ROUNDS, strict=True)
    ]
    history = replay(get_system(system, **PARAMETERS.get(system, {})), fields, len(handles))
    stored = {
        (row.contest_id, row.player.handle): (row.mu_before, row.sigma_before, row.mu, row.sigma, row.performance)
        for row in RatingChange.objects.current().filter(series=series).select_related("player")
    }
    columns = (history.mu_before, history.sigma_before, history.mu, history.sigma, history.performance)
    computed = {
        (contests[c].pk, handles[p]): tuple(numbers)
        for c, p, *numbers in zip(
            history.contest.tolist(), history.player.tolist(), *(c.tolist() for c in columns), strict=True
        )
    }
    assert stored == computed
    now = dict(Rating.objects.filter(series=series).values_list("player__handle", "mu"))
    assert now == {handles[p]: history.beliefs.mu[p] for p in np.flatnonzero(history.beliefs.count)}


@every_system
@pytest.mark.django_db
def test_a_preview_says_what_publishing_then_does(system):
    series = make_rated(system)
    draft = make_contest(series, standings=[("ida", 1), ("zoe", 2), ("ann", 2), ("bob", 4)], finalized=False)
    seen = {row.handle: (row.mu_before, row.mu, row.sigma) for row in preview_contest(draft).rows}
    finalize_contest(draft.pk)
    rate(series)
    rows = RatingChange.objects.current().filter(contest=draft)
    assert seen == {h: (*n,) for h, *n in rows.values_list("player__handle", "mu_before", "mu", "sigma")}


@every_system
@pytest.mark.django_db
def test_a_correction_ends_where_the_right_results_would_have(system):
    series = make_rated(system)
    first = series.contests.rated().in_order().first()
    correct_standing(
        first.standings.get(player__handle="ann").pk,
        correction=Correction(status="disqualified"),
        reason="two accounts",
    )
    rate(series)
    right = make_rated(system, ([("bob", 1), ("cid", 1), ("dee", 3)], *ROUNDS[1:]))
    assert ratings_by_handle(series) == ratings_by_handle(right)


@every_system
@pytest.mark.django_db
def test_exports_have_everyone_with_finite_numbers(system, tmp_path):
    series = make_rated(system)
    output = tmp_path / "ratings.csv"
    call_command("export_ratings", series=series.slug, format="csv", output=output)
    rows = list(csv.DictReader(output.read_text().splitlines()))
    assert {row["handle"] for row in rows} == {handle for standings in ROUNDS for handle, _ in standings}
    assert all(math.isfinite(float(row[name])) for row in rows for name in ("rating", "mu", "sigma", "peak"))


# Teams

TEAMS = {"ann": "red", "bob": "red", "cid": "blue", "dee": "blue", "eve": "blue"}


def team_round(series, labels=TEAMS, **fields):
    return make_contest(
        series,
        standings=[("ann", 1), ("bob", 1), ("cid", 2), ("dee", 2), ("eve", 2), ("fay", 3)],
        teams=labels,
        **fields,
    )


@systems_of_teams
@pytest.mark.django_db
def test_teams_are_rated_as_the_library_does(system):
    series = make_series()
    choose_scheme(series.pk, system=system)
    contest = team_round(series)
    rate(series)
    field = Field(range(6), [1, 1, 2, 2, 2, 3], day=day_of(contest), teams=[7, 7, 3, 3, 3, 1])
    history = replay(get_system(system), [field], 6)
    rows = RatingChange.objects.current().filter(contest=contest).order_by("player__handle")
    assert [row.mu for row in rows] == history.mu.tolist()
    assert [(row.rank, row.field_size) for row in rows] == [(1, 3), (1, 3), (2, 3), (2, 3), (2, 3), (3, 3)]
    team_round(series, labels={**TEAMS, "fay": "alone"})
    rate(series)
    appended = ratings(series), Run.objects.current(series.pk).input_hash
    run = rate(series, full=True)
    assert run.changed_count == 0
    assert (ratings(series), run.input_hash) == appended


@systems_of_teams
@pytest.mark.django_db
def test_a_preview_rates_teams(system):
    series = make_series()
    choose_scheme(series.pk, system=system)
    draft = team_round(series, finalized=False)
    seen = {row.handle: row.mu for row in preview_contest(draft).rows}
    finalize_contest(draft.pk)
    rate(series)
    assert seen == dict(RatingChange.objects.current().filter(contest=draft).values_list("player__handle", "mu"))


@pytest.mark.django_db
def test_a_preview_of_teams_is_refused_where_the_system_rates_single_players():
    series = make_series()
    choose_scheme(series.pk, system="topcoder")
    with pytest.raises(ContestError, match="is a team contest, but TopCoder rates individual players"):
        preview_contest(team_round(series, finalized=False))


@pytest.mark.django_db
def test_a_system_for_single_players_is_refused_while_rated_contests_have_teams():
    series = make_series()
    choose_scheme(series.pk, system="elo")
    contest = team_round(series)
    with pytest.raises(ContestError, match="is a team contest, but Codeforces rates individual players"):
        choose_scheme(series.pk, system="codeforces")
    Contest.objects.filter(pk=contest.pk).update(is_rated=False)
    assert choose_scheme(series.pk, system="codeforces").system == "codeforces"
