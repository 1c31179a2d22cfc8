"""Words that many players share: the search finds the same players as if it asked about each of them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser

from contests.matching.name_index import ids_with_words
from contests.models import Player, Series
from contests.queries.visibility import listed_players
from ratings.queries import top_players as module
from ratings.queries.search import find_players
from ratings.queries.top_players import top_players, top_players_of_site
from tests.factories import make_contest, make_series, rate

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("hidden_first", [True, False])
def test_hidden_players_change_nothing_for_a_word_that_many_share(hidden_first):
    secret, cup = make_series("secret", is_public=False), make_series("cup", community="hill")
    worlds = [(secret, "h"), (cup, "v")] if hidden_first else [(cup, "v"), (secret, "h")]
    for series, letter in worlds:
        make_contest(series, standings=[(f"ann-{letter}{n}", n + 1) for n in range(12)])
    visible = set(Player.objects.filter(handle__startswith="ann-v").values_list("pk", flat=True))
    among = listed_players(AnonymousUser())
    for most in (1, 2, 5, 11, 12, 13, 50):
        found = ids_with_words(["ann"], among, most)
        assert len(found) == len(set(found)) == min(most, len(visible)), most
        assert set(found) <= visible, most


def test_the_largest_of_many_series_are_found_and_a_hidden_one_is_left_out(monkeypatch):
    monkeypatch.setattr(module, "LOOKED_UP", 1)
    monkeypatch.setattr(module, "LARGEST_SERIES", 2)
    for slug, players in (("small", 2), ("large", 5), ("middle", 3)):
        series = make_series(slug)
        make_contest(series, standings=[(f"{slug}-{n}", n + 1) for n in range(players)])
        rate(series)
    listed = Series.objects.listed()
    expected = [run.series.slug for run in top_players(listed).runs]
    assert [run.series.slug for run in top_players_of_site(listed).runs] == expected == ["large", "middle"]
    Series.objects.filter(slug="large").update(is_public=False, is_listed=False)
    assert [run.series.slug for run in top_players_of_site(listed).runs] == ["middle"], "hidden at once"
    found = find_players("large", 5, AnonymousUser()).players
    assert found == []
