"""
Pagination of long lists of contests, with cached counts, so that each page costs as much as the first one.

Counting 240,000 contests and finding their years takes longer than the rest of the page. Both depend only on the
contests that the visitor may read, so they are cached until one of these series changes. Links
between pages use cursors; page numbers work too, for bookmarks and for links to distant pages.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core.paginator import Page, Paginator
from django.utils.functional import cached_property

from contests.caching import cached
from contests.queries.paging import Cursor, between, state_of
from contests.queries.versions import KEPT_SECONDS, version_of
from contests.queries.visibility import visible_series
from web.shared.params import page_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.contrib.auth.models import AnonymousUser, User
    from django.http import HttpRequest

    from contests.models import Contest
    from contests.models.contest import ContestQuerySet
    from contests.queries.winners import Winners


@dataclass(frozen=True, slots=True)
class ContestColumns:
    """
    Columns of a table of contests that not all tables have.

    winners
        Left out if all contests are events and none has a winner.
    games
        Only if all contests are events; otherwise their games are in the column of the winners.
    """

    winners: bool
    games: bool

    @classmethod
    def of(cls, rows: Sequence[tuple[Contest, Winners | None]]) -> ContestColumns:
        only_events = all(contest.is_event for contest, _ in rows)
        return cls(winners=not only_events or any(winners for _, winners in rows), games=only_events)


class Kept:
    """Values cached for one visitor until a series that the visitor may read changes; three queries check that."""

    def __init__(self, user: User | AnonymousUser) -> None:
        self.version = f"{version_of(visible_series(user))} for {user.pk}"

    def get(self, what: str, make: Callable[[], Any]) -> Any:
        """Return the value cached under this name, or make it now."""
        digest = hashlib.sha256(f"{self.version} {what}".encode(errors="replace")).hexdigest()
        return cached(f"contest-list:{digest}", make, KEPT_SECONDS)


@dataclass(slots=True)
class ContestPage:
    """
    Some contests of a list, newest first.

    start
        Position of the first contest in the list, counted from 1; None if the list has changed since the link.
    before, after
        Cursors of the pages before and after; empty if there is none.
    asked
        The requested page number, if there is no such page.
    is_lost
        Whether the cursor in the address was invalid; this is the first page then.
    """

    contests: list[Contest]
    count: int
    size: int
    start: int | None = None
    before: str = ""
    after: str = ""
    asked: str = ""
    is_lost: bool = False

    @property
    def end(self) -> int | None:
        return None if self.start is None else self.start + len(self.contests) - 1

    @property
    def number(self) -> int | None:
        """The page number, counted from 1; None if the page does not begin at a multiple of the page size."""
        if self.start is None or self.start % self.size != 1 % self.size:
            return None
        return (self.start - 1) // self.size + 1

    @property
    def number_of_pages(self) -> int:
        return max(1, -(-self.count // self.size))


class ContestPaginator(Paginator):
    """
    A paginator of contests, newest first.

    name
        Cache name for the number of contests; without a name they are counted each time.
    state
        What the positions depend on besides changes of the contests, such as filters.
    """

    def __init__(self, contests: ContestQuerySet, size: int, *, kept: Kept, name: str, state: str = "") -> None:
        super().__init__(contests.newest_first(), size)
        self.contests, self.kept, self.name = contests, kept, name
        self.state = state_of(f"{kept.version} {name} {state}")

    @cached_property
    def count(self) -> int:
        if not self.name:
            return self.contests.count()
        return int(self.kept.get(f"count {self.name}", self.contests.count))

    def asked_for(self, request: HttpRequest) -> tuple[ContestPage, int]:
        """
        Return the page in `?after=`, `?before=` or `?page=`, and the HTTP status of the response.

        `?page=last` is the last page. An invalid cursor gives the first page and a number out of range the nearest
        one, both with status 404.
        """
        after, before = text_of(request, "after"), text_of(request, "before")
        if not after and not before:
            if request.GET.get("page") == "last":
                return self._numbered(self.page(self.num_pages)), 200
            page, status = page_of(request, self, self.per_page)
            return self._numbered(page), status
        try:
            cursor = Cursor.read(after or before)
        except ValueError:
            first = self._numbered(self.page(1))
            first.is_lost = True
            return first, 404
        return (self._after(cursor) if after else self._before(cursor)), 200

    def page(self, number: Any) -> Page[Any]:
        """Return a page; in the second half of the list, read it from the end, which skips fewer rows."""
        number = self.validate_number(number)
        bottom = (number - 1) * self.per_page
        top = min(bottom + self.per_page, self.count)
        return Page(between(self.object_list, bottom, top, self.count), number, self)  # type: ignore[arg-type]

    def _numbered(self, page: Page[Any]) -> ContestPage:
        start = max(1, page.start_index())
        shown = self._page(list(page.object_list), start, page.has_previous(), page.has_next())
        shown.asked = getattr(page, "asked", "")
        return shown

    def _after(self, cursor: Cursor) -> ContestPage:
        rows = list(cursor.older(self.contests)[: self.per_page + 1])
        if not rows:  # all of them have been deleted since
            return self._numbered(self.page(self.num_pages))
        start = cursor.position + 1 if cursor.position and cursor.state == self.state else None
        return self._page(rows[: self.per_page], start, True, len(rows) > self.per_page)

    def _before(self, cursor: Cursor) -> ContestPage:
        rows = list(cursor.newer(self.contests)[: self.per_page + 1])
        if not rows:
            return self._numbered(self.page(1))
        shown = rows[: self.per_page][::-1]
        start = cursor.position - len(shown) if cursor.position and cursor.state == self.state else None
        if len(rows) <= self.per_page:
            start = 1
        return self._page(shown, start, len(rows) > self.per_page, True)

    def _page(self, contests: list[Contest], start: int | None, has_previous: bool, has_next: bool) -> ContestPage:
        if start is not None and not 1 <= start <= max(1, self.count - len(contests) + 1):
            start = None  # an altered address
        page = ContestPage(contests, self.count, self.per_page, start)
        if contests and has_previous:
            page.before = str(Cursor.of(contests[0], page.start, self.state))
        if contests and has_next:
            page.after = str(Cursor.of(contests[-1], page.end, self.state))
        return page
