"""Shares of play and handicaps on pages: from the review of a file to the explanation of a change."""

from __future__ import annotations

import re

import numpy as np
import pytest
from django.urls import reverse

from contests.models import Standing
from ratings.models import Rating
from ratings.publishing.schemes import choose_scheme
from ratings.queries.events import event_ratings
from ratings.queries.snapshot import snapshot_of
from ratings.systems.forecast.prediction import PlaceChances
from tests.factories import make_contest, make_player, rate
from tests.pages import Page, text_of
from tests.web.organize.forms import confirm, finalize, save, upload
from web.public.forecast.field import Terms
from web.public.forecast.queries import forecast_contest

pytestmark = pytest.mark.django_db

TABLE = "rank,handle,share,handicap\n1,ann,50 %,\n2,bob,,150.5\n3,eve,,\n"


def test_from_the_review_to_the_explanation(organizer, client, series):
    choose_scheme(series.pk, system="elo")
    draft = make_contest(series, finalized=False, is_rated=True)
    review = upload(organizer, draft, TABLE)
    text = text_of(review)
    assert "played 50 %" in text
    assert "handicap +150.5" in text
    assert "Elo counts every player in full" in text
    assert "Only TrueSkill uses it" in text
    save(organizer, review)
    assert "played 50 %" in text_of(organizer.get(reverse("organize:contest", args=[draft.pk])))
    finalize(organizer, draft)
    rate(series)
    page = text_of(client.get(draft.get_absolute_url()))
    assert "played 50 %" in page
    assert "handicap +150.5" in page
    why = text_of(client.get(reverse("why", args=[draft.pk, "ann"])))
    assert "ann took part in only 50 % of this contest. This rating system counts everyone in full." in why
    assert "Some opponents had handicaps." in why
    assert "bob had a handicap of +150.5 rating points" in text_of(client.get(reverse("why", args=[draft.pk, "bob"])))
    result = client.get(f"/api/v1/contests/{draft.pk}/standings/").json()["results"]
    assert [(row["share"], row["handicap"]) for row in result] == [(0.5, None), (None, 150.5), (None, None)]

    row = Standing.objects.get(player__handle="ann")
    address = reverse("organize:correct", args=[row.pk])
    form = organizer.get(address)
    assert form.context["form"]["share"].value() == 0.5
    sent = {"status": "ranked", "place": 1, "shares_place": "on", "reason": "was longer", "handicap": "-20"}
    wrong = organizer.post(address, sent | {"share": "150 %"})
    assert wrong.status_code == 422
    assert "The share played must be above 0 and at most 1" in Page(wrong).text
    proposed = organizer.post(address, sent | {"share": "75 %"})
    effect = text_of(organizer.get(proposed["Location"]))
    assert "ann: share" in effect
    assert "0.75" in effect
    confirm(organizer, proposed)
    row.refresh_from_db()
    assert (row.share, row.handicap) == (0.75, -20.0)


def test_pages_do_not_mention_shares_where_there_are_none(organizer, client, series):
    contest = make_contest(series, players=3)
    rate(series)
    for address in (contest.get_absolute_url(), reverse("why", args=[contest.pk, "p0"])):
        text = text_of(client.get(address))
        assert not re.search(r"\bplayed \d|took part in only|handicap", text, re.IGNORECASE)


def test_a_trueskill_team_counts_shares(organizer, client, series):
    choose_scheme(series.pk, system="trueskill")
    draft = make_contest(series, finalized=False)
    review = upload(organizer, draft, "rank,handle,team,share\n1,ann,red,25 %\n1,bob,red,\n2,eve,blue,\n")
    assert "counts every player in full" not in text_of(review)
    save(organizer, review)
    finalize(organizer, draft)
    rate(series)
    why = text_of(client.get(reverse("why", args=[draft.pk, "ann"])))
    assert "ann took part in only 25 % of this contest. Their own performance counts towards" in why


def test_a_ladder_says_in_the_review_that_it_refuses_handicaps(organizer, series):
    choose_scheme(series.pk, system="ladder")
    review = upload(organizer, make_contest(series, finalized=False), TABLE)
    assert "This contest cannot be rated" in text_of(review)
    assert "Ladder has positions instead of points" in text_of(review)


def test_forecasts_count_the_handicaps_of_a_draft(organizer, series):
    choose_scheme(series.pk, system="elo")
    make_contest(series, standings=[("ann", 1), ("bob", 1), ("eve", 1)])
    rate(series)
    draft = make_contest(series, finalized=False)
    save(organizer, upload(organizer, draft, "rank,handle,handicap\n1,ann,\n2,bob,300\n3,eve,-300\n"))
    draft.refresh_from_db()
    for handle, ahead in (("bob", 1.0), ("ann", 2.0), ("eve", 3.0)):
        player = make_player(handle)
        found = forecast_contest(snapshot_of(series), Terms(draft, draft, is_own_field=True), player)
        assert found is not None
        expected = 1.0 + sum(1 / (1 + 10 ** ((ours - other) / 400)) for ours, other in pairs(handle))
        assert PlaceChances(found.model, found.own).expected_place == pytest.approx(expected, abs=1e-6)
        assert round(expected) == ahead


def pairs(handle):
    """Return the strengths of a player and of each opponent: equal ratings, and the handicaps."""
    points = {"ann": 0, "bob": 300, "eve": -300}
    return [(points[handle], points[other]) for other in points if other != handle]


def test_games_with_handicaps_are_rated_with_them(organizer, series):
    choose_scheme(series.pk, system="elo", parameters={"k_factor": 24.0})
    draft = make_contest(series, finalized=False)
    games = "date,white,black,result,handicap_b\n2025-05-01,ann,bob,½-½,\n2025-05-02,eve,kim,½-½,200\n"
    save(organizer, upload(organizer, draft, games))
    finalize(organizer, draft)
    rate(series)
    means = dict(Rating.objects.filter(series=series).values_list("player__handle", "mu"))
    gain = 24 * (0.5 - 1 / (1 + 10 ** (200 / 400)))
    assert means == pytest.approx({"ann": 1500, "bob": 1500, "eve": 1500 + gain, "kim": 1500 - gain})
    # Eve drew with Kim, who is rated the same and gets 200 points: Eve's performance is 1700, Kim's is 1300.
    draft.refresh_from_db()
    snapshot = snapshot_of(series)
    players = dict(Rating.objects.filter(series=series).values_list("player__handle", "player_id"))
    found = event_ratings(snapshot, draft, players.values())
    shown = {handle: found[player].performance for handle, player in players.items()}
    level = snapshot.mapping.show(np.array([1500.0, 1700.0, 1300.0])).tolist()
    assert shown == {"ann": level[0], "bob": level[0], "eve": level[1], "kim": level[2]}
