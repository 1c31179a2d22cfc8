"""How leaderboards write what others do not have: ranks won and lost, and days without an hour."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from django import template
from django.utils.html import format_html
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from web.shared.tags import day, points, tenth

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

register = template.Library()

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@register.simple_tag
def climb(ranks: int | None, is_new: bool = False) -> SafeString | str:
    """Write ranks won or lost; nothing that is seen where a rank stayed what it was."""
    if is_new:
        return format_html('<span class="badge badge-accent">{}</span>', _("new"))
    if ranks is None:
        return ""
    if ranks == 0:
        return format_html('<span class="visually-hidden">{}</span>', _("same rank"))
    if ranks > 0:
        name, mark, words = "up", "▲", ngettext("%(n)s rank up", "%(n)s ranks up", ranks)
    else:
        name, mark, words = "down", "▼", ngettext("%(n)s rank down", "%(n)s ranks down", -ranks)
    number = points(abs(ranks))
    return format_html(
        '<span class="change change-{}" title="{}"><span class="change-mark" aria-hidden="true">{}</span>'
        '<span aria-hidden="true">{}</span><span class="visually-hidden">{}</span></span>',
        name, words % {"n": number}, mark, number, words % {"n": number},
    )  # fmt: skip


@register.filter
def day_of(moment: datetime) -> SafeString | str:
    """Write the day of a moment as `day` does; a page of a leaderboard writes few different ones a hundred times."""
    return _written(moment, get_language())


@lru_cache(maxsize=2048)
def _written(moment: datetime, _language: str | None) -> SafeString | str:
    written: SafeString | str = day(moment)
    return written


@register.filter
def from_days(days: float) -> datetime:
    """Return the moment that many days after the beginning of 1970."""
    return _EPOCH + timedelta(days=float(days))


@register.filter
def span(days: float) -> str:
    """Write how long something lasted: days, or years with one decimal from two years on."""
    if days >= 730:
        return _("%(years)s years") % {"years": tenth(days / 365.25)}
    whole = round(days)
    return ngettext("%(days)s day", "%(days)s days", whole) % {"days": points(whole)}


@register.filter
def share_of(part: int, whole: int) -> str:
    """Write a part in per cent of a whole."""
    return _("%(share)s %%") % {"share": points(round(100 * part / whole)) if whole else "0"}
