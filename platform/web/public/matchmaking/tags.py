"""Template tags of matchmaking: the quality of a match in words, and sides of a match as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.translation import gettext as _

from web.shared.names import first_name
from web.shared.numbers import points
from web.shared.tags import tenth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratings.display.favored import Favored
    from ratings.queries.matchmaking import Entrant

register = template.Library()

_STEPS = (0.9, 0.75, 0.5, 0.25)
#: The step from which on a match is not close.
_NOT_CLOSE = 3


@register.filter
def mean_points(mean: float) -> str:
    """Write a mean of displayed ratings: a whole number as it is, and any other number with one decimal."""
    return points(int(mean)) if mean == int(mean) else tenth(mean)


@register.filter
def quality_words(quality: float, favoured: Favored = "even") -> str:
    """
    Describe the quality of a match, from 0 to 1, in words.

    favoured
        Who is favoured. A match with a favourite is not close: where chance plays a large part, as under TrueSkill, a
        favourite can still have a quality above one half.
    """
    words = (
        _("a very close match"),
        _("a close match"),
        _("a fairly close match"),
        _("not a close match"),
        _("far from a close match"),
    )
    return words[_step(quality, favoured)]


def is_close(quality: float, favoured: Favored) -> bool:
    """Return whether a match is at least fairly close, in the words of `quality_words`."""
    return _step(quality, favoured) < _NOT_CLOSE


def _step(quality: float, favoured: Favored) -> int:
    step = next((i for i, least in enumerate(_STEPS) if quality >= least), len(_STEPS))
    return step if favoured == "even" else max(step, _NOT_CLOSE + favoured.startswith("clearly"))


@register.filter
def handles(side: Sequence[Entrant]) -> str:
    """Write the handles of one side of a match."""
    return " + ".join(first_name(entrant.player) for entrant in side)
