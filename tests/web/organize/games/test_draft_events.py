"""Draft events in series where a second organizer confirms: no one finalizes games that they have not seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse

from contests.changes.base import token_of
from contests.changes.of_contests import FinalizeContest
from contests.services.contests import delete_contest
from contests.services.correcting import correct_result
from contests.services.describing import ContestDescription, describe_contest
from tests.factories import make_contest, make_series, make_user
from tests.pages import Page
from tests.web.organize.forms import finalize, save, upload

pytestmark = pytest.mark.django_db

GAMES = "date,white,black,result\n2025-05-01,ann,bo,1-0\n2025-05-01,cy,di,1-0\n"


@pytest.fixture
def ben():
    return make_user("ben")


@pytest.fixture
def event(client, ben):
    """A draft event whose finalization the first organizer has requested."""
    ida = make_user("ida")
    client.force_login(ida)
    series = make_series("chess", organizer=ida, needs_approval=True)
    series.organizers.add(ben)
    event = make_contest(series, finalized=False)
    save(client, upload(client, event, GAMES))
    finalize(client, event)
    event.refresh_from_db()
    assert event.asked_by == ida
    return event


def correct(game, actor):
    correct_result(game.pk, scores=(0, 1), reason="the sheet was wrong", actor=actor)


def describe(game, actor):
    description = replace(ContestDescription.of(game), weight=2.0)
    describe_contest(game.pk, description=description, reason="a final", actor=actor)


def delete(game, actor):
    delete_contest(game.pk, reason="not played", actor=actor)


@pytest.mark.parametrize("change", [correct, describe, delete])
def test_a_changed_game_withdraws_the_request(client, event, ben, change):
    client.force_login(ben)
    seen = f"{reverse('organize:change')}?change={token_of(FinalizeContest(event.pk, event.version))}"
    assert "ida requested finalization" in Page(client.get(seen)).text
    change(event.games.in_order().first(), ben)
    event.refresh_from_db()
    assert event.asked_by is None
    client.post(seen)
    event.refresh_from_db()
    assert (event.is_draft, event.asked_by) == (True, None), "no one confirms the preview of the games before"


def test_the_history_of_an_event_has_the_changes_of_its_games(client, event, ben):
    correct(event.games.in_order().first(), ben)
    assert "the sheet was wrong" in Page(client.get(reverse("organize:contest", args=[event.pk]))).text
