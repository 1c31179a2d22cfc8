"""
Values in addresses: query parameters, pages of long lists, filters of a leaderboard, and handles in paths.

A query string never causes an error: a page ignores what it cannot use, or names it in a message.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from django.core.paginator import EmptyPage, PageNotAnInteger, Paginator
from django.shortcuts import get_object_or_404
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from contests.queries.visibility import visible_series
from contests.whole_numbers import number_or_zero, whole_number_of
from ratings.derived.league_tables import divisions_in, leagues_content
from ratings.derived.leagues import DERIVATION as LEAGUES
from ratings.display.leagues import PROVISIONAL
from ratings.queries.filters import ESTABLISHED, EVERYONE, LARGEST, PROVISIONAL_WORD, Filters

if TYPE_CHECKING:
    from django.core.paginator import Page
    from django.http import HttpRequest

    from contests.models import Series
    from ratings.queries.snapshot import SeriesSnapshot


#: Longer than any handle; the rest of a longer text could not have matched anything.
LONGEST_TEXT = 200


def page_of(request: HttpRequest, items: Any, size: int) -> tuple[Page[Any], int]:
    """
    Return the page in `?page=` and the HTTP status of the response.

    items
        A sequence or QuerySet to split into pages, or a paginator.

    If the page does not exist, return the nearest one with status 404; its `asked` is the requested number.
    """
    paginator = items if isinstance(items, Paginator) else Paginator(items, size)
    asked = text_of(request, "page")
    if not asked:
        return paginator.page(1), 200
    try:
        return paginator.page(asked), 200
    except PageNotAnInteger:
        page = paginator.page(1)
    except EmptyPage:
        page = paginator.page(1 if asked.startswith("-") or not asked.strip("0") else paginator.num_pages)
    page.asked = asked[:20]  # type: ignore[attr-defined]
    return page, 404


def text_of(request: HttpRequest, name: str) -> str:
    """Return a query parameter, truncated, without NUL (no database accepts it) and surrounding white space."""
    return request.GET.get(name, "")[:LONGEST_TEXT].replace("\x00", "").strip()


#: Length of the part of a text that a message about it repeats.
_REPEATED = 40


def filters_of(request: HttpRequest, snapshot: SeriesSnapshot) -> Filters:
    """Read the filters from the query string; `problems` has a message for each value that is not valid."""
    problems: list[str] = []
    league, division = _place(request, snapshot, problems)
    return Filters(
        text_of(request, "q"),
        _country(text_of(request, "country"), problems),
        text_of(request, "affiliation"),
        whole_number(text_of(request, "active"), _("“Active in the last … days”"), problems),
        whole_number(text_of(request, "min"), _("“Minimum contests”"), problems),
        _tier(text_of(request, "tier"), snapshot, problems),
        league,
        division,
        _show(text_of(request, "show"), problems),
        tuple(problems),
    )


def whole_number(text: str, name: str, problems: list[str], *, most: int = LARGEST) -> int | None:
    """Return a number from 1 to `most`; None for an empty text, and None with a new problem for any other text."""
    if not text:
        return None
    number = whole_number_of(text.replace(",", "").removeprefix("+"), most=most)
    if number:
        return number
    problem = _("%(name)s must be a whole number from 1 to %(most)s, not “%(text)s”.")
    problems.append(problem % {"name": name, "most": number_format(most, force_grouping=True), "text": cut(text)})
    return None


def cut(text: str) -> str:
    """Return the part of a text that a message repeats."""
    return text if len(text) <= _REPEATED else text[: _REPEATED - 1] + "…"


def _country(text: str, problems: list[str]) -> str:
    if not text or (len(text) == 2 and text.isascii() and text.isalpha()):
        return text.upper()
    problems.append(_("Enter a country as its two-letter code, such as “DE”, not “%s”.") % cut(text))
    return ""


def _show(text: str, problems: list[str]) -> str:
    if text in ("", ESTABLISHED, EVERYONE):
        return text
    problem = _("“Show” must be %(established)s or %(everyone)s, not “%(text)s”.")
    problems.append(problem % {"established": ESTABLISHED, "everyone": EVERYONE, "text": cut(text)})
    return ""


def _tier(text: str, snapshot: SeriesSnapshot, problems: list[str]) -> int | None:
    if not text:
        return None
    names = [tier.name for tier in snapshot.tiers]
    folded = [name.casefold() for name in names]
    if text.casefold() in folded:
        return folded.index(text.casefold())
    problem = _("There is no tier “%(text)s” in this series; its tiers are %(names)s.")
    problems.append(problem % {"text": cut(text), "names": ", ".join(reversed(names))})
    return None


def _place(request: HttpRequest, snapshot: SeriesSnapshot, problems: list[str]) -> tuple[int | None, int | None]:
    """Return the league and the division to which a leaderboard is limited."""
    league, unknown = asked_league(request, snapshot)
    content = leagues_content(snapshot)
    if unknown or (league is not None and not LEAGUES.applies(snapshot)):
        asked = cut(text_of(request, "league"))
        problems.append(_("There is no league “%(text)s” in this series.") % {"text": asked})
        return None, None
    division, unknown = asked_division(request, divisions_in(content, league) if content is not None else 0)
    if unknown and league is None:
        problems.append(_("Choose the league that the division belongs to."))
    elif unknown:
        problems.append(_("There is no division “%(text)s” in this league.") % {"text": cut(unknown)})
    return league, division


_DOTS = re.compile(r"~*\.{1,2}")
_ESCAPED = re.compile(r"~+\.{1,2}")


class HandleConverter:
    """
    Path converter: between slashes, "." and ".." are written "~." and "~..".

    Every handle has an address, also "a/b", "." and "..". Browsers resolve "." and ".." in a path as folders, even
    when they are percent-encoded. A part that already looks escaped gets one more tilde.
    """

    regex = ".+"

    def to_python(self, value: str) -> str:
        return "/".join(part[1:] if _ESCAPED.fullmatch(part) else part for part in value.split("/"))

    def to_url(self, value: str) -> str:
        return "/".join(f"~{part}" if _DOTS.fullmatch(part) else part for part in value.split("/"))


class SeriesPath(NamedTuple):
    """The community and the slug of a series, from an address."""

    community: str
    slug: str


def series_at(request: HttpRequest, at: SeriesPath) -> Series:
    """Return the series of an address; 404 if there is none that the visitor may read."""
    return get_object_or_404(visible_series(request.user), community=at.community, slug=at.slug)


class HasAddress(Protocol):
    """A series, or a row that names one."""

    community_id: str
    slug: str


class SeriesConverter:
    """Path converter for `<community>/series/<slug>`; addresses are made from a series."""

    regex = r"[-a-z0-9]+/series/[-\w]+"

    def to_python(self, value: str) -> SeriesPath:
        community, _series, slug = value.split("/")
        return SeriesPath(community, slug)

    def to_url(self, value: HasAddress | SeriesPath) -> str:
        community = value.community if isinstance(value, SeriesPath) else value.community_id
        return f"{community}/series/{value.slug}"


def asked_division(request: HttpRequest, divisions: int) -> tuple[int | None, str]:
    """Return the division in `?division=`, None for all; and the value itself if there is no such division, else ""."""
    asked = text_of(request, "division")
    if not asked:
        return None, ""
    number = number_or_zero(asked)
    return (number, "") if 1 <= number <= divisions else (None, asked[:20])


def asked_league(request: HttpRequest, snapshot: SeriesSnapshot) -> tuple[int | None, str]:
    """Return the league in `?league=`, None for all; and the value itself if there is no such league, else ""."""
    asked = text_of(request, "league")
    if not asked:
        return None, ""
    if asked == PROVISIONAL_WORD:
        return PROVISIONAL, ""
    number = whole_number_of(asked, most=999) or 0
    return (number - 1, "") if 1 <= number <= len(snapshot.tiers) else (None, asked[:20])
