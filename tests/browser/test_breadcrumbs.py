"""Breadcrumbs on a phone take one line, however long the names in them are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from tests.browser.community import PASSWORD
from tests.browser.test_every_page import WIDE
from tests.factories import make_community, make_contest, make_series, make_user

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen

_WIDTHS = "(nav) => [...nav.querySelectorAll('a')].map((each) => Math.round(each.getBoundingClientRect().width))"


@pytest.mark.parametrize("fonts", [WIDE], indirect=True)
def test_long_names_share_one_line(open_screen: Callable[..., Screen], fonts: str):
    olga = make_user("olga", password=PASSWORD)
    make_community(owner=olga, name="Harbour Club of the Northern Waters")
    series = make_series("cup", name="Northern Waters Harbour Championship")
    event = make_contest(series, players=2, is_event=True, is_rated=False, name="International Open Tournament")
    game = make_contest(series, players=2, event=event, name="Alexandra Konstantinopolskaya – Bartholomew")
    screen = open_screen(width=360)
    screen.log_in("olga", PASSWORD)
    trail = screen.page.locator("nav.breadcrumbs")

    screen.go(reverse("organize:contest-edit", args=[game.pk]))
    start, community, *others = trail.evaluate(_WIDTHS)
    assert start == community == 0, "the last steps need the room, and the navigation leads to the start page"
    assert len(others) == 3
    assert min(others) > 80
    assert trail.bounding_box()["height"] < 40

    screen.go(reverse("organize:contest-edit", args=[event.pk]))
    assert trail.bounding_box()["height"] < 40
    screen.go(reverse("organize:contest-create", args=[series]))
    assert trail.evaluate(_WIDTHS)[0] > 50, "there is room for the start page"
    assert trail.bounding_box()["height"] < 40
    assert screen.overflow() == 0
