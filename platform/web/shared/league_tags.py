"""How leagues and season points are written on pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.html import format_html
from django.utils.translation import gettext as _

from ratings.display.leagues import PROVISIONAL
from web.shared import leagues as league_rows
from web.shared import leagues as season_rows

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.leagues import PlayerLeague, PlayerSeason

register = template.Library()


@register.simple_tag
def league(snapshot: SeriesSnapshot, number: int) -> SafeString:
    """Write a league by its position: symbol and name in its colour; provisional players have none."""
    name = league_rows.league_name(snapshot, number)
    if name is None:
        return format_html('<span class="league soft">{}</span>', _("Provisional"))
    return format_html(
        '<span class="league {}"><span class="tier-symbol" aria-hidden="true">{}</span><bdi>{}</bdi></span>',
        league_class(snapshot, number), snapshot.tiers[number].symbol, name,
    )  # fmt: skip


@register.filter
def league_class(snapshot: SeriesSnapshot, number: int) -> str:
    """Return the CSS classes that give a league its colour."""
    return f"tier tier-{snapshot.scheme.pk if snapshot.scheme else 0}-{number}"


@register.filter
def league_of(leagues: dict[int, int], player: int) -> int:
    """Return a player's league out of those of a page; provisional where it is not known."""
    return leagues.get(player, PROVISIONAL)


@register.filter
def league_title(snapshot: SeriesSnapshot, number: int) -> str:
    """Return the name of a league in words, for the provisional players too."""
    return league_rows.league_name(snapshot, number) or _("Provisional")


@register.filter
def league_symbol(snapshot: SeriesSnapshot, number: int) -> str:
    """Return the symbol of a league."""
    return str(snapshot.tiers[number].symbol)


@register.simple_tag
def player_league(snapshot: SeriesSnapshot, rating: Rating) -> PlayerLeague | None:
    """Return where a player stands between leagues, for pages of players."""
    return league_rows.player_league(snapshot, rating)


@register.simple_tag
def player_season(snapshot: SeriesSnapshot, rating: Rating) -> PlayerSeason | None:
    """Return a player's part in the newest season, for pages of players."""
    return season_rows.player_season(snapshot, rating)
