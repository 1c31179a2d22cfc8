"""A series in which one person has two handles, and helpers to request its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import reverse

from contests.models import Player
from contests.services.merging import merge_players
from tests.factories import make_contest, rate

if TYPE_CHECKING:
    from contests.models import PlayerMerge, Series


def two_spellings(series: Series) -> dict[str, Player]:
    """Make two contests; "alexanderk" is "alexander_k" in the second. Return the players by their handles."""
    make_contest(series, standings=[("alexanderk", 1), ("bob", 2)], name="First")
    make_contest(series, standings=[("bob", 1), ("alexander_k", 2)], name="Second")
    rate(series)
    return {player.handle: player for player in Player.objects.all()}


def merge(people: dict[str, Player], reason: str = "one person") -> PlayerMerge:
    return merge_players(people["alexanderk"].pk, people["alexander_k"].pk, reason=reason)


def at(name: str, *args: Any, **query: Any) -> str:
    return reverse(f"organize:{name}", args=args, query=query)


def text_of(answer: Any) -> str:
    """Return the page as one line, independent of line breaks in templates."""
    return " ".join(answer.content.decode().split())
