"""How the pages of contests write chances and expected places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from ratings.templatetags.show import change, localized, tier_class

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from contests.models import Contest, Player, Standing
    from ratings.shown import Shown

register = template.Library()

#: Smaller chances are all the same to a reader.
LEAST_CHANCE = 0.0001


@register.filter
def chance(probability: float) -> str:
    """Write a probability in per cent, with as many digits as say something; never 0 or 100, which nothing is."""
    percent = 100 * min(max(probability, 0.0), 1.0)
    if percent < 100 * LEAST_CHANCE:
        return _("less than %(number)s\u00a0%%") % {"number": localized("0.01")}
    if percent > 99.9:
        return _("more than %(number)s\u00a0%%") % {"number": localized("99.9")}
    decimals = 0 if 10 <= percent < 90 else 1 if percent >= 1 else 2
    return _("%(number)s\u00a0%%") % {"number": localized(f"{percent:.{decimals}f}")}


@register.filter
def place(expected: float) -> str:
    """Write an expected place: with one decimal where places are few, else whole."""
    return localized(f"{expected:,.1f}" if expected < 20 else f"{expected:,.0f}")


@register.simple_tag
def entrant(shown: Shown, rows: dict[int, Standing], player_id: int, rating: int) -> SafeString | str:
    """Write a link to a player, or to the player who stands for a team with the team's name, in the rating's colour."""
    row = rows.get(player_id)
    return _link(shown, row, row.team or row.player.handle, rating) if row is not None else "–"


@register.simple_tag
def member(shown: Shown, rows: dict[int, Standing], player_id: int, rating: int) -> SafeString | str:
    """Write a link to a player, in the rating's colour."""
    row = rows.get(player_id)
    return _link(shown, row, row.player.handle, rating) if row is not None else "–"


@register.simple_tag
def why_link(contest: Contest, player: Player | None, difference: int) -> SafeString | str:
    """Write a player's change as a link to what it came from."""
    if player is None:
        return change(difference)
    return format_html(
        '<a class="why" href="{}" title="{}">{}<span class="visually-hidden">{}</span></a>',
        reverse("why", args=[contest.pk, player.handle]),
        _("Why?"),
        change(difference),
        _(": why, for %(handle)s") % {"handle": player.handle},
    )


@register.simple_tag
def player_of(rows: dict[int, Standing], player_id: int) -> Player | None:
    """Return the player of that id, if the rows have one."""
    row = rows.get(player_id)
    return row.player if row is not None else None


def _link(shown: Shown, row: Standing, name: str, rating: int) -> SafeString:
    address = f"{row.player.get_absolute_url()}?series={shown.series.slug}"
    return format_html('<bdi><a href="{}" class="{}">{}</a></bdi>', address, tier_class(shown, rating), name)
