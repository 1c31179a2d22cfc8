"""Template tags of the contest pages: chances, expected places, amendments, links to players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from ratings.display.percentages import percentage
from web.shared.drawings import percent
from web.shared.flags import flag
from web.shared.names import first_name
from web.shared.tags import change, localized, tier_class

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from contests.models import Contest, Player, Standing
    from ratings.queries.snapshot import SeriesSnapshot

register = template.Library()

#: Smaller chances make no difference to readers, and the performance model is not precise enough for them.
LEAST_CHANCE = 1e-6


@register.filter
def chance(probability: float) -> str:
    """Write a probability: in percent from 1 % on, as "1 in …" below, and never as 0 or 100 %."""
    if probability < LEAST_CHANCE:
        return _("less than 1 in %(number)s") % {"number": localized(f"{1 / LEAST_CHANCE:,.0f}")}
    if probability < 0.01:
        return _("1 in %(number)s") % {"number": localized(f"{float(f'{1 / probability:.2g}'):,.0f}")}
    if probability > 0.999:
        # The no-break space is inserted afterwards: catalogues cannot hold its escaped form.
        return (_("more than %(number)s %%") % {"number": localized("99.9")}).replace(" %", "\u00a0%")
    decimals = 0 if 0.1 <= probability < 0.9 else 1
    return localized(percentage(100 * probability, decimals))


@register.filter
def place(expected: float) -> str:
    """Write an expected place, with one decimal below 20."""
    return localized(f"{expected:,.1f}" if expected < 20 else f"{expected:,.0f}")


@register.filter
def share_of(value: float | None, top: float) -> str:
    """Return a score as a share of the best one, as the width of its bar."""
    return percent((value or 0.0) / top)


@register.filter
def status_words(status: str) -> str:
    """Write the status of an unranked row for its badge."""
    return _("Disqualified") if status == "disqualified" else _("Not ranked")


@register.simple_tag
def entrant(
    snapshot: SeriesSnapshot, rows: dict[int, Standing], player_id: int, rating: int, with_flag: bool = False
) -> SafeString | str:
    """Write a link to an entry's player in the colour of the rating; a team's link has the team's name and no flag."""
    row = rows.get(player_id)
    if row is None:
        return "–"
    link = _link(snapshot, row, row.team or first_name(row.player), rating)
    return format_html("{} {}", flag(row.player.country), link) if with_flag and not row.team else link


@register.simple_tag
def member(snapshot: SeriesSnapshot, rows: dict[int, Standing], player_id: int, rating: int) -> SafeString | str:
    """Write a player's flag and a link to the player in the colour of the rating."""
    row = rows.get(player_id)
    if row is None:
        return "–"
    return format_html("{} {}", flag(row.player.country), _link(snapshot, row, first_name(row.player), rating))


@register.simple_tag
def why_link(contest: Contest, player: Player | None, difference: int) -> SafeString | str:
    """Write a player's rating change as a link to its explanation."""
    if player is None:
        return change(difference)
    return format_html(
        '<a class="why" href="{}" title="{}">{}<span class="visually-hidden">{}</span></a>',
        reverse("why", args=[contest.pk, player.handle]),
        _("Why?"),
        change(difference),
        _(": rating change of %(handle)s") % {"handle": first_name(player)},
    )


@register.simple_tag
def player_of(rows: dict[int, Standing], player_id: int) -> Player | None:
    """Return the player with this id, or None if the rows do not include them."""
    row = rows.get(player_id)
    return row.player if row is not None else None


def _link(snapshot: SeriesSnapshot, row: Standing, name: str, rating: int) -> SafeString:
    address = f"{row.player.get_absolute_url()}?series={snapshot.series.slug}"
    return format_html('<bdi><a href="{}" class="{}">{}</a></bdi>', address, tier_class(snapshot, rating), name)


@register.filter
def round_name(text: str) -> str:
    """Return the name of a round: “Round 3”, and “Final” as it is."""
    if any(character.isalpha() for character in text):
        return text
    return _("Round %(round)s") % {"round": text}
