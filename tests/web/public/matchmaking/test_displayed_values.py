"""Values that the pages of matchmaking show and put into their forms: handicaps and lists of players."""

import re

import pytest

from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, rate
from tests.pages import Page
from tests.web.public.matchmaking.games import ask, make_games

pytestmark = pytest.mark.django_db


def test_a_handicap_is_in_displayed_points_where_the_scale_is_the_same_everywhere(client):
    series = make_games("trueskill")
    page = ask(client, "match/", a="bob", b="kim")
    internal = page.context["match"].handicap
    scale = choose_scheme(series.pk).display["scale"]
    assert scale == 100, "TrueSkill's internal points are a hundredth of those that pages display"
    words = f"{abs(internal) * scale:,.0f} rating points for kim ({abs(internal):.1f} internal rating points)"
    assert words in Page(page).text


@pytest.mark.parametrize("page", ["pairings/", "teams/"])
def test_the_players_of_a_contest_are_listed_in_the_form_so_that_one_can_be_removed(client, page):
    series = make_games("trueskill")
    contest = make_contest(series, standings=[("ann", 1), ("bob", 2), ("kim", 3)], day=40)
    rate(series)
    shown = ask(client, page, event=contest.pk, players="lee")
    text = re.search(r"<textarea[^>]*>([^<]*)</textarea>", shown.content.decode())[1]
    assert sorted(text.split()) == ["ann", "bob", "kim", "lee"]
    assert f'value="{contest.pk}" selected' not in shown.content.decode(), "it would add everyone again"
