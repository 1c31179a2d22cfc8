"""The first-run guide: from nothing to a published series in four steps, shown while something is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from contests.models import ContestState
from ratings.models import RunState

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    from contests.models import Contest, Series
    from ratings.models import Run

#: Standings for a first contest.
EXAMPLE = "examples/standings.csv"


@dataclass(frozen=True, slots=True)
class Step:
    """
    A step of the guide; the first one that is not done has the `address` of its page, if the visitor may open it.

    example
        An example file that the step offers, below the static files.
    """

    title: StrOrPromise
    words: StrOrPromise
    is_done: bool = False
    address: str = ""
    action: StrOrPromise = ""
    example: str = ""


_COMMUNITY = (
    gettext_lazy("Create a community"),
    gettext_lazy("A club, a league or an online judge: a group that runs contests together."),
)
_SERIES = (
    gettext_lazy("Create a series"),
    gettext_lazy("A sequence of contests with one rating for each player. The defaults suit most series."),
)
_UPLOAD = (
    gettext_lazy("Upload standings"),
    gettext_lazy(
        "Enter when a contest ended, and upload its results. You can correct mistakes while you review them. Nothing "
        "is public yet."
    ),
)
_PUBLISH = (
    gettext_lazy("Publish"),
    gettext_lazy("Check how the ratings would change, then finalize. Podium then publishes the ratings."),
)


def steps_at_home(*, has_community: bool, may_create: bool) -> list[Step]:
    """Return the steps for the start page of an organizer without a series."""
    create = reverse("organize:community-create") if may_create and not has_community else ""
    new = reverse("organize:series-create") if has_community else ""
    return [
        Step(*_COMMUNITY, has_community, create, gettext("Create a community")),
        Step(*_SERIES, False, new, gettext("Create a series")),
        Step(*_UPLOAD, example=EXAMPLE),
        Step(*_PUBLISH),
    ]


def furthest_contest(series: Series) -> Contest | None:
    """Return the contest of a series that is furthest along: finalized, with standings, or the newest one."""
    alone = series.contests.existing().listed_alone()
    in_order = alone.order_by("-standing_count", "-ends_at", "-pk")
    return in_order.filter(state=ContestState.FINALIZED).first() or in_order.first()


def steps_of_series(series: Series, contest: Contest | None) -> list[Step]:
    """
    Return the steps for a series that is not published yet.

    contest
        The draft or finalized contest that is furthest along, None if there is none.
    """
    done = (Step(*_COMMUNITY, is_done=True), Step(*_SERIES, is_done=True))
    if contest is None:
        address, action = reverse("organize:contest-create", args=[series]), gettext("Create the first contest")
        return [*done, Step(*_UPLOAD, False, address, action, example=EXAMPLE), Step(*_PUBLISH)]
    if not contest.standing_count and (waiting := contest.staged_uploads.with_open_review().first()) is not None:
        address, action = reverse("organize:review", args=[contest.pk, waiting.token]), gettext("Continue review")
        return [*done, Step(*_UPLOAD, False, address, action), Step(*_PUBLISH)]
    if not contest.standing_count:
        address, action = reverse("organize:upload", args=[contest.pk]), gettext("Upload standings")
        return [*done, Step(*_UPLOAD, False, address, action, example=EXAMPLE), Step(*_PUBLISH)]
    if contest.state == ContestState.DRAFT:
        address, action = reverse("organize:contest", args=[contest.pk]), gettext("Check and finalize")
        return [*done, Step(*_UPLOAD, is_done=True), Step(*_PUBLISH, False, address, action)]
    address, action = reverse("organize:progress", args=[series]), gettext("View rating progress")
    words = gettext("The contest is finalized. Podium publishes the ratings as soon as they are computed.")
    return [*done, Step(*_UPLOAD, is_done=True), Step(_PUBLISH[0], words, False, address, action)]


def is_published(run: Run | None) -> bool:
    """Whether a series with this newest run has published ratings; a later run means that an earlier one did."""
    return run is not None and (run.state == RunState.PUBLISHED or run.number > 1)
