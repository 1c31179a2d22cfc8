"""What the pages of leagues and season points have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contests.whole_numbers import whole_number_of
from ratings.display.leagues import PROVISIONAL
from web.shared.params import text_of

if TYPE_CHECKING:
    from django.http import HttpRequest

    from ratings.queries.snapshot import SeriesSnapshot

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
