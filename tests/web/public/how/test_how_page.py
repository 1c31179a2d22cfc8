"""The page on how ratings work: the parameters of the series, and their accuracy."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from ratings.derived import accuracy
from ratings.derived.accuracy import as_contests, newest_within
from ratings.models import Derived
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from ratings.queries.inputs import read_fields
from ratings.queries.snapshot import snapshot_of
from ratings.systems import SYSTEMS, backtest, get_system
from tests.factories import make_contest, make_series, rate
from tests.pages import Page
from web.public.how.views import LABEL, CalibrationPoint, calibration, calibration_words, draw_rows, evaluated_count

pytestmark = pytest.mark.django_db


def page_of(client, slug="cup", status=200):
    response = client.get(f"/c/main/series/{slug}/how/")
    assert response.status_code == status
    return Page(response)


def rated(contests=1, players=6, **scheme):
    series = make_series("cup")
    if scheme:
        choose_scheme(series.pk, **scheme)
    for number in range(contests):
        names = [f"p{(i + number) % players}" for i in range(players)]
        make_contest(series, standings=[(name, place + 1) for place, name in enumerate(names)])
    rate(series)
    return series


def test_the_page_names_the_system_its_parameters_and_the_starting_rating(client):
    rated(parameters={"sig_limit": 90.0})
    page = page_of(client)
    assert "Elo-MMR" in page.text
    assert "New players start at 1,500" in page.text
    assert "Long-run uncertainty" in page.text
    assert "90" in page.text
    assert "being measured right now" in page.text


def test_accuracy_lists_every_system_and_marks_the_one_in_use(client):
    series = rated(contests=9)
    derive_series(series.pk)
    page = page_of(client)
    assert page.text.count("Used here") == 1
    assert "TrueSkill" in page.text
    assert "There were 9 contests" in page.text


def test_the_page_counts_evaluated_contests_and_warns_if_few(client):
    series = rated(contests=9)
    derive_series(series.pk)
    page = page_of(client)
    assert "finished in different places: 4 of 9." in page.text
    assert "too few contests to tell which system is best" in page.text


def test_enough_evaluated_contests_give_no_warning(client):
    series = rated(contests=36)
    derive_series(series.pk)
    page = page_of(client)
    assert "finished in different places: 31 of 36." in page.text
    assert "too few contests to tell which system is best" not in page.text


def test_a_series_of_games_has_games_not_contests(client):
    series = make_series("cup")
    for number in range(9):
        make_contest(series, standings=[("ann", 1), ("bob", 1 if number == 8 else 2)])
    rate(series)
    derive_series(series.pk)
    text = page_of(client).text
    assert "There were 9 games. Only players with at least five games are included." in text
    # Both are newcomers during the first five games, and the last one is a draw.
    assert "Podium evaluated only games in which two such players met and one of them won: 3 of 9." in text
    assert "There are too few games to tell which system is best." in text
    assert "contests of this series: each predicted" not in text


@pytest.mark.parametrize(
    ("players", "heading", "other"),
    [
        (4, "How often do two players tie?", "How often do games end in a draw?"),
        (2, "How often do games end in a draw?", "How often do two players tie?"),
    ],
)
def test_draws_have_a_table_if_there_are_some(client, players, heading, other):
    series = rated(contests=20, players=players, system="elo")
    derive_series(series.pk)
    assert heading not in page_of(client).text
    for number in range(18):
        make_contest(series, standings=[("p0", 1), ("p1", 1 + number % 2)])
    rate(series)
    Derived.objects.all().delete()
    derive_series(series.pk)
    text = page_of(client).text
    assert heading in text
    assert other not in text
    assert re.search(r"5[05]–\d\d %", text)


def test_ties_that_hardly_ever_happen_have_no_table():
    series = rated(contests=2)
    bins = [{"low": 0.5 + low, "high": 0.55 + low, "predicted": 0.001, "pairs": 1000} for low in (0.0, 0.05)]

    def rows(observed):
        measured = [each | {"observed": share} for each, share in zip(bins, observed, strict=True)]
        return draw_rows(snapshot_of(series), {"systems": [{"system": "elo-mmr", "draws": measured}]})

    assert rows([0.001, 0.0]) == []
    assert [row.observed for row in rows([0.002, 0.001])] == pytest.approx([0.2, 0.1])


def test_an_older_evaluation_has_no_counts():
    series = rated(contests=9)
    content = accuracy.measure(snapshot_of(series))
    for row in content["systems"]:
        del row["all_contests"], row["all_participations"]
    assert evaluated_count(content) is None


def test_the_page_says_if_there_is_too_little_to_evaluate(client):
    series = rated(contests=2)
    derive_series(series.pk)
    assert "too few results to evaluate" in page_of(client).text


def test_the_measures_equal_those_of_the_backtest():
    series = rated(contests=9)
    fields = read_fields(series.pk)
    contests, players = as_contests(fields, SYSTEMS["elo-mmr"])
    measured = accuracy.measure(snapshot_of(series))
    assert {row["system"] for row in measured["systems"]} == set(SYSTEMS)
    for row in measured["systems"]:
        scores = backtest(get_system(row["system"]), contests, players, 5)
        assert (row["pair_inversion"], row["log_loss"]) == (scores.pair_inversion, scores.log_loss)


def test_only_systems_that_rate_teams_are_compared_on_teams():
    series = make_series("cup")
    choose_scheme(series.pk, system="trueskill")
    teams = {"a": "x", "b": "x", "c": "y", "d": "y"}
    make_contest(series, standings=[("a", 1), ("b", 1), ("c", 2), ("d", 2)], teams=teams)
    rate(series)
    systems = {row["system"] for row in accuracy.measure(snapshot_of(series))["systems"]}
    assert systems == {name for name, system in SYSTEMS.items() if system.rates_teams}


def test_the_newest_contests_that_fit_are_evaluated_and_at_least_one():
    series = rated(contests=4, players=6)
    fields = read_fields(series.pk)
    assert newest_within(fields, 13, 9) == fields[2:]
    assert newest_within(fields, 12, 9) == fields[2:]
    assert newest_within(fields, 5, 9) == fields[3:]
    assert newest_within(fields, 13, 1) == fields[3:]
    assert newest_within([], 5, 9) == []


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_every_system_is_explained(client, system):
    rated(contests=2, system=system)
    response = client.get("/c/main/series/cup/how/")
    assert b"<polyline" in response.content
    words = {"ladder": "The displayed number is", "kreimeier": "fixed scale"}.get(system, "New players start")
    assert words in Page(response).text


def test_a_fixed_range_is_described_and_drawn(client):
    rated(contests=2, display={"mapping": "fermi", "range": 5000})
    assert "fixed scale from 0 to 5,000" in page_of(client).text


def test_empty_and_unknown_series(client):
    make_series("empty")
    assert "no contest of this series is rated" in page_of(client, "empty").text
    make_series("secret", is_public=False)
    page_of(client, "secret", 404)
    page_of(client, "nowhere", 404)


def test_labels_of_close_tiers_do_not_cover_each_other(client):
    colours = {"colour_light": "#336699", "colour_dark": "#88aadd"}
    tiers = [
        {"name": f"T{n}", "symbol": str(n), "minimum": None if n == 0 else 1490 + 4 * n, **colours} for n in range(5)
    ]
    rated(contests=3, tiers=tiers)
    thresholds = client.get("/c/main/series/cup/how/").context["curve"].thresholds
    assert [each.tier.name for each in thresholds] == ["T4", "T3", "T2", "T1"]
    assert all(below - above >= LABEL for above, below in pairwise([each.label_y for each in thresholds]))


def test_a_series_is_called_overconfident_only_beyond_chance():
    def words(pairs: int) -> str:
        # Favourites at 60 % won 54 %: with 100 pairs, a standard error of 4.9 points; with 1,000, of 1.5.
        return calibration_words([CalibrationPoint(60.0, 54.0, pairs, 60.0, 276.0)])

    assert "cannot tell" in words(100)
    assert words(1_000).startswith("Yes")
    assert "about as often" in calibration_words([CalibrationPoint(60.0, 59.0, 20, 60.0, 246.0)])


@pytest.mark.django_db
def test_a_group_whose_favourites_mostly_lost_is_marked_as_below_the_graph():
    snapshot = snapshot_of(make_series("cup"))
    rows = [
        {"predicted": 0.52, "observed": 0.33, "pairs": 30}, {"predicted": 0.9, "observed": 0.85, "pairs": 30},
    ]  # fmt: skip
    points = calibration(snapshot, {"systems": [{"system": snapshot.system, "calibration": rows}]})
    assert [(point.is_below, point.x, point.y) for point in points] == [(True, 12.0, 300.0), (False, 240.0, 90.0)]
