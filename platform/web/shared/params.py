"""Pages of long lists, and what comes in by the query string: never an error, whatever somebody typed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django.core.paginator import EmptyPage, PageNotAnInteger, Paginator
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from contests.whole_numbers import whole_number_of
from ratings.display.leagues import PROVISIONAL
from ratings.queries.filters import ESTABLISHED, EVERYONE, LARGEST, Filters

if TYPE_CHECKING:
    from django.core.paginator import Page
    from django.http import HttpRequest

    from ratings.queries.snapshot import SeriesSnapshot


#: Longer than any handle; what is cut off could not have matched.
LONGEST_TEXT = 200


def page_of(request: HttpRequest, items: Any, size: int) -> tuple[Page[Any], int]:
    """
    Return the page that `?page=` asks for and the HTTP status of the answer.

    items
        What is cut into pages, or a paginator that does it.

    A page that does not exist gives the nearest one with status 404; the page then has `asked`, what was asked for.
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
    """Return a query parameter without what no database takes (NUL) and without white space around it, cut to size."""
    return request.GET.get(name, "")[:LONGEST_TEXT].replace("\x00", "").strip()


#: Of a text that was not understood, so much is repeated.
_REPEATED = 40


def filters_of(request: HttpRequest, snapshot: SeriesSnapshot) -> Filters:
    """Read the filters of a query string; nothing in it is an error, whatever somebody typed."""
    problems: list[str] = []
    return Filters(
        text_of(request, "q"),
        _country(text_of(request, "country"), problems),
        text_of(request, "affiliation"),
        whole_number(text_of(request, "active"), _("“Active in the last … days”"), problems),
        whole_number(text_of(request, "min"), _("“Minimum contests”"), problems),
        _tier(text_of(request, "tier"), snapshot, problems),
        _show(text_of(request, "show"), problems),
        tuple(problems),
    )


def whole_number(text: str, name: str, problems: list[str], *, most: int = LARGEST) -> int | None:
    """Return a number from 1 to `most`; None for an empty text, and with a problem for everything else."""
    if not text:
        return None
    number = whole_number_of(text.replace(",", "").removeprefix("+"), most=most)
    if number:
        return number
    problem = _("%(name)s must be a whole number from 1 to %(most)s, not “%(text)s”.")
    problems.append(problem % {"name": name, "most": number_format(most, force_grouping=True), "text": cut(text)})
    return None


def cut(text: str) -> str:
    """Return as much of a text as is repeated in an answer."""
    return text if len(text) <= _REPEATED else text[: _REPEATED - 1] + "…"


def _country(text: str, problems: list[str]) -> str:
    if not text or (len(text) == 2 and text.isascii() and text.isalpha()):
        return text.upper()
    problems.append(_("Enter a country as its two-letter code, such as “NO”, not “%s”.") % cut(text))
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


_DOTS = re.compile(r"~*\.{1,2}")
_ESCAPED = re.compile(r"~+\.{1,2}")


class HandleConverter:
    """
    Path converter: between slashes, "." and ".." are written "~." and "~..".

    Browsers take single and double dots out of an address even when they are percent-encoded. What looks like the
    written form gets one more tilde.
    """

    regex = ".+"

    def to_python(self, value: str) -> str:
        return "/".join(part[1:] if _ESCAPED.fullmatch(part) else part for part in value.split("/"))

    def to_url(self, value: str) -> str:
        return "/".join(f"~{part}" if _DOTS.fullmatch(part) else part for part in value.split("/"))


#: What the address says for those who have no league.
PROVISIONAL_WORD = "provisional"


def asked_league(request: HttpRequest, snapshot: SeriesSnapshot) -> tuple[int | None, str]:
    """Return the league that `?league=` asks for, None for all; and what was asked for if there is none such."""
    asked = text_of(request, "league")
    if not asked:
        return None, ""
    if asked == PROVISIONAL_WORD:
        return PROVISIONAL, ""
    number = whole_number_of(asked, most=999) or 0
    return (number - 1, "") if 1 <= number <= len(snapshot.tiers) else (None, asked[:20])
