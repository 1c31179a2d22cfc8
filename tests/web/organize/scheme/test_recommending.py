"""The recommended rating system: by the backtests of the series' own contests, with the figures shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse

from ratings.derived import accuracy, newest_derived
from ratings.publishing.deriving import derive_series
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, rate
from tests.pages import Page
from web.organize.scheme import recommending
from web.organize.scheme.recommending import recommendation_for

pytestmark = pytest.mark.django_db


def test_systems_are_compared_on_the_contests_of_the_series_itself(organizer, series, monkeypatch):
    address = reverse("organize:scheme", args=[series])
    assert recommendation_for(snapshot_of(series)) is None
    assert "has not compared the rating systems" in Page(organizer.get(address)).text
    players = [f"p{i}" for i in range(6)]
    for _ in range(8):
        make_contest(series, standings=[(handle, place) for place, handle in enumerate(players, 1)])
    rate(series)
    derive_series(series.pk)
    found = recommendation_for(snapshot_of(series))
    assert found.are_few, "eight contests say little"
    assert not any(row.is_recommended for row in found.rows)
    assert "too few results to tell" in Page(organizer.get(address)).text
    # All finish in the same order every time, so every system is right about all pairs.
    assert {row.right for row in found.rows} == {100.0}
    assert any(row.is_own for row in found.rows)


def test_a_system_is_recommended_only_if_it_is_clearly_better(organizer, series, monkeypatch):
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    derive_series(series.pk)
    snapshot = snapshot_of(series)
    _, row = newest_derived(snapshot, accuracy.DERIVATION)

    def measured(log_loss: dict[str, float | None] | None = None, **right: float) -> None:
        systems = [
            {
                "system": name.replace("_", "-"), "contests": 90, "participations": 900, "pair_inversion": value,
                "rank_deviation": 20.0, "log_loss": (log_loss or {}).get(name, 0.6), "calibration": [],
                "all_contests": 100, "all_participations": 1000,
            }
            for name, value in sorted(right.items(), key=lambda item: -item[1])
        ]  # fmt: skip
        monkeypatch.setattr(recommending, "newest_derived", lambda *_: ({"systems": systems}, row))

    measured(elo_mmr=70.0, glicko=70.4, elo=60.0, trueskill=65.0, topcoder=64.0)
    close = recommendation_for(snapshot)
    assert close.own_is_good
    assert close.best.system == snapshot.system == "elo-mmr"
    measured(elo_mmr=60.0, glicko=70.4, elo=65.0, trueskill=66.0, topcoder=64.0)
    clear = recommendation_for(snapshot)
    assert not clear.own_is_good
    assert [row.system for row in clear.rows] == ["glicko", "trueskill", "elo", "elo-mmr"], "and the one in use"
    assert clear.best.system == "glicko"
    page = Page(organizer.get(reverse("organize:scheme", args=[series])))
    assert "predicts your results better than the system that you use now" in page.text
    assert "70.4 %" in page.text
    assert replace(clear, rows=clear.rows[1:]).best.system == "trueskill"
    # Glicko's probabilities are worse than those of the system in use, so the next system that is better in both ways
    # is recommended, or none.
    measured(log_loss={"glicko": 0.61}, elo_mmr=60.0, glicko=70.4, elo=60.1, trueskill=66.0, topcoder=64.0)
    assert recommendation_for(snapshot).best.system == "trueskill"
    measured(log_loss={"glicko": 0.61}, elo_mmr=66.0, glicko=70.4, elo=60.1, trueskill=66.2, topcoder=64.0)
    honest = recommendation_for(snapshot)
    assert honest.own_is_good
    assert honest.best.system == "elo-mmr"


def test_a_system_without_log_loss_is_not_compared(organizer, series, monkeypatch):
    """Large contests in which nearly everyone ties may leave no pair with a winner."""
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    derive_series(series.pk)
    snapshot, address = snapshot_of(series), reverse("organize:scheme", args=[series])
    _, row = newest_derived(snapshot, accuracy.DERIVATION)

    def measured(*without: str) -> None:
        right = {"glicko": 70.4, "trueskill": 66.0, "elo-mmr": 60.0}
        systems = [
            {
                "system": name, "contests": 90, "participations": 900, "pair_inversion": value, "rank_deviation": 20.0,
                "log_loss": None if name in without else 0.6, "calibration": [], "all_contests": 100,
                "all_participations": 1000,
            }
            for name, value in right.items()
        ]  # fmt: skip
        monkeypatch.setattr(recommending, "newest_derived", lambda *_: ({"systems": systems}, row))

    measured("glicko")
    assert recommendation_for(snapshot).best.system == "trueskill"
    measured("glicko", "trueskill")
    assert recommendation_for(snapshot).own_is_good
    measured("elo-mmr")
    assert organizer.get(address).status_code == 200
    measured("elo-mmr", "glicko", "trueskill")
    assert recommendation_for(snapshot) is None
    assert "has not compared the rating systems" in Page(organizer.get(address)).text
