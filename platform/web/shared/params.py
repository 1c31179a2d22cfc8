"""Pages of long lists, and what comes in by the query string: never an error, whatever somebody typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.paginator import EmptyPage, PageNotAnInteger, Paginator

if TYPE_CHECKING:
    from django.core.paginator import Page
    from django.http import HttpRequest

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
