"""Template tags: which side of a match is favoured, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.html import format_html
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from ratings.display.favored import Favored

register = template.Library()


@register.simple_tag
def favored_words(favored: Favored, first: str, second: str) -> SafeString:
    """Say which side is favoured, given the names of both."""
    if favored == "even":
        return format_html("{}", _("About even"))
    text = _("{name} is clearly favoured") if favored.startswith("clearly") else _("{name} is favoured")
    before, _name, after = text.partition("{name}")
    return format_html("{}<bdi>{}</bdi>{}", before, first if favored.endswith("a") else second, after)


@register.simple_tag
def favored_by_points(one: Favored, other: Favored, first: str, second: str) -> SafeString:
    """
    Say which side is favoured by the season points of the first side and by those of the second, in a sentence.

    If both favour the same side, but only one clearly, say only that it is favoured.
    """
    if one == other == "even":
        return format_html("{}", _("By season points, the match is about even."))
    if one == other:
        return _sentence(_("By season points: {seen}."), seen=favored_words(one, first, second))
    names = {"first": _isolated(first), "second": _isolated(second)}
    if one == "even":
        words = _(
            "Judging by the season points of {first}, the match is about even; judging by those of {second}, {seen}."
        )
        return _sentence(words, seen=favored_words(other, first, second), **names)
    if other == "even":
        words = _(
            "Judging by the season points of {first}, {seen}; judging by those of {second}, the match is about even."
        )
        return _sentence(words, seen=favored_words(one, first, second), **names)
    if one[-1] == other[-1]:
        less = other if one.startswith("clearly") else one
        return _sentence(_("By season points: {seen}."), seen=favored_words(less, first, second))
    return _sentence(
        _("Judging by the season points of {first}, {seen}; judging by those of {second}, {seen_by_other}."),
        seen=favored_words(one, first, second),
        seen_by_other=favored_words(other, first, second),
        **names,
    )


def _isolated(name: str) -> SafeString:
    return format_html("<bdi>{}</bdi>", name)


def _sentence(words: str, **values: SafeString) -> SafeString:
    return format_html(words, **values)
