"""Challenges on a ladder: in the API and on the player's page."""

from datetime import timedelta

import pytest

from contests.models import Player
from contests.services.contests import delete_contest
from ratings.publishing.schemes import choose_scheme
from tests.factories import FIRST_DAY, make_contest, make_player, make_series, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


def ladder(slug="club", **rules):
    series = make_series(slug)
    choose_scheme(series.pk, system="ladder", parameters=rules)
    make_contest(series, standings=[(f"p{place}", place) for place in range(1, 7)], day=0)
    return series


def asked(get, handle, series="club"):
    return get(f"players/{Player.objects.get(handle=handle).pk}/challenges/", series=series)


def names(answer):
    return [(row["player"]["handle"], row["rank"]) for row in answer["opponents"]]


def test_players_can_challenge_those_within_reach(client, get):
    rate(ladder(reach=2.0))
    answer = asked(get, "p5")
    assert names(answer) == [("p4", 4), ("p3", 3)]
    assert (answer["community"], answer["series"], answer["run"]) == ("main", "club", 1)
    assert (answer["rank"], answer["reach"]) == (5, 2)
    assert (answer["on_win"], answer["count"], answer["falls_after"], answer["falls_by"]) == ("exchange", 2, None, 0)
    assert names(asked(get, "p1")) == []
    make_player("new")
    make_contest(make_series("other"), standings=[("new", 1)])
    new = asked(get, "new")
    assert (names(new), new["rank"]) == ([("p6", 6), ("p5", 5)], None)
    text = Page(client.get("/c/main/players/p5/?series=club")).text
    assert "players can challenge the 2 players above them" in text
    assert "p5 can challenge: p4 p3" in text
    assert "No one is above p1" in Page(client.get("/c/main/players/p1/?series=club")).text


def test_anyone_above_can_be_challenged_by_default(client, get):
    rate(ladder())
    answer = asked(get, "p6")
    assert (answer["reach"], answer["count"], names(answer)[0]) == (None, 5, ("p5", 5))


def test_idle_players_learn_when_they_fall(client, get):
    series = ladder(idle_days=10.0, idle_penalty=2.0, on_win="insert")
    for day in (5, 12):
        make_contest(series, standings=[("p6", 1), ("p5", 2)], day=day)
    rate(series)
    # On day 12, the others had been idle for ten days and fell past the two who played. Their next period ends on
    # day 20.
    answer = asked(get, "p1")
    assert (answer["rank"], answer["falls_by"], answer["on_win"]) == (3, 2, "insert")
    assert answer["falls_after"] == (FIRST_DAY + timedelta(days=20)).isoformat().replace("+00:00", "Z")
    text = Page(client.get("/c/main/players/p1/?series=club")).text
    assert "everyone in between move down by one" in text
    assert "they will fall by 2 places at the ladder’s next contest" in text


def test_deleting_the_only_contest_keeps_the_idle_periods_until_the_series_is_rated_again(client, get):
    series = ladder(idle_days=10.0)
    make_contest(make_series("points"), standings=[("p1", 1), ("p2", 2)])
    rate(series)
    delete_contest(series.contests.get().pk, reason="entered twice")
    assert asked(get, "p1")["falls_after"] == (FIRST_DAY + timedelta(days=10)).isoformat().replace("+00:00", "Z")
    assert client.get("/c/main/players/p1/?series=club").status_code == 200


def test_an_idle_period_may_be_shorter_than_the_clock_tells(get):
    rate(ladder(idle_days=1e-12))
    assert asked(get, "p1")["falls_after"] is not None


def test_other_series_and_missing_parameters_are_refused(client, get):
    rate(ladder())
    other = make_series("points")
    make_contest(other, standings=[("p1", 1), ("p2", 2)])
    rate(other)
    pk = Player.objects.get(handle="p1").pk
    for query, status, words in [
        ("?series=points", 400, "is not rated as a ladder"),
        ("", 400, "required"),
        ("?series=nowhere", 404, "nowhere"),
    ]:
        response = client.get(f"/api/v1/players/{pk}/challenges/{query}")
        assert response.status_code == status
        assert words in response.content.decode()
    assert client.get("/api/v1/players/999999/challenges/?series=club").status_code == 404
    hidden = ladder("hidden", reach=1.0)
    hidden.is_private = True
    hidden.save()
    rate(hidden)
    assert client.get(f"/api/v1/players/{pk}/challenges/?series=hidden").status_code == 404
    assert "Challenges" not in Page(client.get("/c/main/players/p1/?series=points")).text
