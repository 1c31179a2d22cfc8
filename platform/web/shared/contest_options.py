"""The options of a menu of contests, in which contests of one name differ by day or time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from django.utils.timezone import localtime

from contests.wording import day_in_words, moment_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contests.models import Contest


def contest_options(contests: Iterable[Contest], chosen: Contest | None = None) -> list[tuple[Contest, str]]:
    """
    Return the contests with their labels: the name, with the day if names repeat, or the time if days do, too.

    chosen
        A contest to append if it is not one of them.
    """
    listed = list(contests)
    if chosen is not None and chosen not in listed:
        listed.append(chosen)
    names = Counter(contest.name for contest in listed)
    days = Counter((contest.name, _day(contest)) for contest in listed)
    return [(contest, _label(contest, names[contest.name], days[contest.name, _day(contest)])) for contest in listed]


def _day(contest: Contest) -> str:
    return day_in_words(localtime(contest.ends_at))


def _label(contest: Contest, same_name: int, same_day: int) -> str:
    if same_name == 1:
        return contest.name
    return f"{contest.name}, {_day(contest) if same_day == 1 else moment_in_words(localtime(contest.ends_at))}"
