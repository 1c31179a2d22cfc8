"""Template tags of the contest pages: chances, expected places, amendments, links to players."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings.display.percentages import percentage
from web.shared.drawings import percent
from web.shared.flags import flag
from web.shared.names import first_name
from web.shared.numbers import localized
from web.shared.tags import change, tier_class

if TYPE_CHECKING:
    from datetime import datetime

    from django.utils.safestring import SafeString

    from contests.models import Contest, Player
    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.teams import Entrant

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
    snapshot: SeriesSnapshot, entrants: dict[int, Entrant], player_id: int, rating: int, opens: bool = False
) -> SafeString | str:
    """
    Write a link to an entry's player in the colour of the rating; a team's link has the team's name.

    opens
        Whether it is the beginning of a sentence. Elsewhere, players have flags.
    """
    found = entrants.get(player_id)
    if found is None:
        return "–"
    link = _link(snapshot, found.player, found.opening if opens else found.name, rating)
    return link if opens or found.is_team else format_html("{} {}", flag(found.player.country), link)


@register.simple_tag
def member(snapshot: SeriesSnapshot, entrants: dict[int, Entrant], player_id: int, rating: int) -> SafeString | str:
    """Write a player's flag and a link to the player in the colour of the rating."""
    player = player_of(entrants, player_id)
    if player is None:
        return "–"
    return format_html("{} {}", flag(player.country), _link(snapshot, player, first_name(player), rating))


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
def player_of(entrants: dict[int, Entrant], player_id: int) -> Player | None:
    """Return the player with this id, or None if the entrants do not include them."""
    found = entrants.get(player_id)
    return found.player if found is not None else None


def _link(snapshot: SeriesSnapshot, player: Player, name: str, rating: int) -> SafeString:
    address = f"{player.get_absolute_url()}?series={snapshot.series.slug}"
    return format_html('<bdi><a href="{}" class="{}">{}</a></bdi>', address, tier_class(snapshot, rating), name)


@register.filter
def starts_in(moment: datetime, now: datetime) -> str:
    """Write in how many full days or hours a contest starts; the same for all readers, wherever they are."""
    hours = (moment - now) / timedelta(hours=1)
    if hours < 1:
        return _("Starts in less than an hour")
    number = int(hours if hours < 36 else hours / 24)
    if hours < 36:
        words = ngettext("Starts in %(number)s hour", "Starts in %(number)s hours", number)
    else:
        words = ngettext("Starts in %(number)s day", "Starts in %(number)s days", number)
    return words % {"number": localized(f"{number:,}")}


@register.filter
def round_name(text: str) -> str:
    """Return the name of a round: “Round 3”, and “Final” as it is."""
    if any(character.isalpha() for character in text):
        return text
    return _("Round %(round)s") % {"round": text}
