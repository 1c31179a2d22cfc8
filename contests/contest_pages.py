"""
Pages of long lists of contests: how many there are is kept, and a page near the end costs what one near the front does.

Counting 240,000 contests and finding out their years takes longer than all else on the page. Both follow from the
contests that the visitor may read, so they are kept until anything is written down in the audit trail.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.core.paginator import Page, Paginator
from django.utils.functional import cached_property

from contests.models import AuditEntry, Contest

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.models import AnonymousUser, User

    from contests.models.contest import ContestQuerySet

#: How long at most: what changes without an audit entry is noticed by then.
KEPT_SECONDS = 300


class Kept:
    """What was made for one visitor since the last change of any contest; two queries find out which that was."""

    def __init__(self, user: User | AnonymousUser) -> None:
        newest = [model.objects.order_by("-pk").values_list("pk", flat=True).first() for model in (AuditEntry, Contest)]
        self.version = f"{newest} of {user.pk}"

    def get(self, what: str, make: Callable[[], Any]) -> Any:
        """Return what was made under this name, or make it now."""
        digest = hashlib.sha256(f"{self.version} {what}".encode(errors="replace")).hexdigest()
        return cache.get_or_set(f"contest-list:{digest}", make, KEPT_SECONDS)


class ContestPaginator(Paginator):
    """A paginator of contests, newest first, whose number is kept under a name; without a name it is counted anew."""

    def __init__(self, contests: ContestQuerySet, size: int, *, kept: Kept, name: str) -> None:
        super().__init__(contests, size)
        self.contests, self.kept, self.name = contests, kept, name

    @cached_property
    def count(self) -> int:
        if not self.name:
            return self.contests.count()
        return int(self.kept.get(f"count {self.name}", self.contests.count))

    def page(self, number: Any) -> Page[Any]:
        """Return a page; in the second half of the list it is read from the end, past fewer rows."""
        number = self.validate_number(number)
        bottom = (number - 1) * self.per_page
        top = min(bottom + self.per_page, self.count)
        if bottom <= self.count // 2:
            return Page(self.contests[bottom:top], number, self)
        backwards = self.contests.reverse()[self.count - top : self.count - bottom]
        return Page(list(backwards)[::-1], number, self)
