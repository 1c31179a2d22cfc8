"""Rows of organizers' tables: what stands beside a name, and names that need more than one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from contests.changes.base import token_of
from contests.changes.of_contests import FinalizeContest
from ratings.publishing.deriving import derive_series
from tests.browser.community import PASSWORD
from tests.browser.steps import see_preview
from tests.factories import make_community, make_contest, make_player, make_series, make_user, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen

LONG_NAME = "Ferdinand Alexander Maximilian von Hohenstein zu Langenburg"
_MIDDLE = "(each) => { const box = each.getBoundingClientRect(); return (box.top + box.bottom) / 2; }"
_COLOUR = "(each) => getComputedStyle(each).color"


def test_names_are_level_with_their_flags_and_actions_stand_out_in_grey_rows(open_screen: Callable[..., Screen]):
    make_community(owner=make_user("olga", password=PASSWORD))
    make_player("ann", country="DE")
    draft = make_contest(finalized=False, standings=[("ann", 1), ("bob", 2), ("eve", 3, None, "disqualified")])
    screen = open_screen(width=360)
    screen.log_in("olga", PASSWORD)
    page = screen.go(reverse("organize:contest", args=[draft.pk]))
    flag, name = page.locator("tbody .flag"), page.locator("tbody .flag + bdi")
    assert abs(flag.evaluate(_MIDDLE) - name.evaluate(_MIDDLE)) < 2
    first, _, grey = page.get_by_role("link", name="Correct…").all()
    assert grey.evaluate(_COLOUR) == first.evaluate(_COLOUR)
    assert first.evaluate(_COLOUR) != name.evaluate(_COLOUR)


def test_long_names_in_the_preview_of_a_change_wrap(open_screen: Callable[..., Screen]):
    make_community(owner=make_user("olga", password=PASSWORD))
    make_player("ann", name=LONG_NAME, country="DE")
    series = make_series()
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    draft = make_contest(series, standings=[("ann", 1), ("bob", 2)], finalized=False)
    screen = open_screen(width=360)
    screen.log_in("olga", PASSWORD)
    page = screen.go(f"{reverse('organize:change')}?change={token_of(FinalizeContest(draft.pk, draft.version))}")
    see_preview(page)
    cell = page.locator(".change-pair tbody th", has_text=LONG_NAME)
    assert cell.evaluate("(each) => each.scrollWidth <= each.clientWidth")
    assert screen.overflow() == 0


def test_cards_of_series_show_shared_ranks(open_screen: Callable[..., Screen]):
    series = make_series()
    make_contest(series, standings=[("ann", 1), ("bob", 1), ("eve", 3)])
    rate(series)
    shown = (
        open_screen()
        .go("/series/")
        .locator(".podium li")
        .evaluate_all("(steps) => steps.map((step) => getComputedStyle(step, '::before').content)")
    )
    assert shown == ['"1"', '"1"', '"3"']


@pytest.mark.chromium_only
def test_names_on_a_leaderboard_have_room_at_every_width(open_screen: Callable[..., Screen]):
    series = make_series("cup")
    for day in range(6):
        make_contest(series, standings=[(f"p{place}", place) for place in range(1, 13)], day=day)
    make_player("p1", name=LONG_NAME)
    rate(series)
    derive_series(series.pk)
    screen = open_screen()
    page = screen.go("/c/main/series/cup/leaderboard/?show=established")
    assert page.locator(".board.has-moves").count() == 1
    for width in (1920, 1472, 1440, 1280, 1216, 1024, 961, 768, 641):
        page.set_viewport_size({"width": width, "height": 800})
        name = page.locator(".board tbody th").first.bounding_box()
        assert name is not None
        assert name["width"] >= 135, width
        assert screen.overflow() == 0, width
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(media="print")
    assert page.locator(".board tbody th").first.is_visible()
    assert page.locator(".board-compare, .board input").filter(visible=True).count() == 0, "nothing to press on paper"
