"""Links to the open reviews of a draft, for the pages that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contests.uploads.staging import PASTED

if TYPE_CHECKING:
    from contests.models import Contest

REVIEWS_SHOWN = 5


def open_reviews(contest: Contest) -> dict[str, object]:
    """Return the context of ``organize/uploads/_open_reviews.html``: the newest uploads that are not saved yet."""
    return {"reviews": list(contest.staged_uploads.with_open_review()[:REVIEWS_SHOWN]), "pasted": PASTED}
