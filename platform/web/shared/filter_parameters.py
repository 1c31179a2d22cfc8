"""The filters of a leaderboard, read from a query string, with words for what is wrong in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from contests.whole_numbers import whole_number_of
from ratings.queries.filters import ESTABLISHED, EVERYONE, LARGEST, Filters
from web.shared.params import text_of

if TYPE_CHECKING:
    from django.http import HttpRequest

    from ratings.queries.snapshot import SeriesSnapshot

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
