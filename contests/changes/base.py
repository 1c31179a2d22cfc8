"""The base class of changes, the contest that a change is about, and the signed token that carries it in a URL."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from django.core import signing
from django.db import transaction
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from contests.errors import ContestError
from contests.models import Contest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User
    from django.http import HttpResponse

    from contests.models import Series

_SALT = "podium.change"
#: The lifetime of a proposal; afterwards, the organizer fills in the form again, on current data.
LIFETIME = timedelta(days=1)

#: Web servers accept URLs of about 4,000 characters.
LONGEST_TOKEN = 3_800

#: The classes of all changes by kind; each class registers itself.
CHANGES: dict[str, type[Change]] = {}


@dataclass(frozen=True, slots=True)
class ChangeDescription:
    """
    The description of a change on its confirmation page.

    title
        The title of the page: "Disqualify ann in Spring Round".
    button
        The label of the button: "Disqualify".
    lines
        The consequences, one sentence each.
    warnings
        What the organizer should check, one message each.
    differences
        The changed values: (label, before, after) each.
    done
        The message after the change.
    back, after
        The URLs to return to after cancelling, and after a change that moves no ratings (`back` if empty).
    series
        All series that the change affects; users must organize each of them, unless the change is about players.
    contest
        The contest whose table shows the change best, if any.
    is_dangerous
        Whether something disappears from the public pages.
    returns
        Whether the organizer returns to `after` even while ratings are computed, to enter more.
    players
        The ids of the players that the change is about; users must be allowed to change each of them.
    """

    title: str
    button: str
    done: str
    back: str
    series: Sequence[Series]
    contest: Contest | None = None
    lines: Sequence[str] = ()
    warnings: Sequence[str] = ()
    differences: Sequence[tuple[str, object, object]] = ()
    is_dangerous: bool = False
    after: str = ""
    returns: bool = False
    players: Sequence[int] = ()


@dataclass(frozen=True)
class Change(ABC):
    """
    A change that an organizer proposes. Its fields are JSON values; a subclass sets its `kind`.

    reason
        The organizer's reason, recorded with the change. Services decide whether it may be empty.
    """

    kind: ClassVar[str]
    #: Whether the change can move ratings; other changes need no preview of ratings.
    moves_ratings: ClassVar[bool] = True

    reason: str = field(default="", kw_only=True)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "kind" in cls.__dict__:
            CHANGES[cls.kind] = cls

    @abstractmethod
    def describe(self) -> ChangeDescription:
        """Return the description of the change; ContestError if its object no longer exists."""

    @abstractmethod
    def apply(self, *, actor: User | None) -> None:
        """Apply the change through its service, in the caller's transaction if any; ContestError if it is refused."""


def token_of(change: Change) -> str:
    """Return the change as a signed token for `read_change`; each token is unique, so that it is used only once."""
    return signing.dumps([change.kind, asdict(change), secrets.token_urlsafe(6)], salt=_SALT, compress=True)


def read_change(token: str) -> Change:
    """Return the change of a token; ContestError if the token is invalid or too old."""
    try:
        kind, fields, *_ = signing.loads(token, salt=_SALT, max_age=LIFETIME)
    except signing.SignatureExpired as error:
        raise ContestError(gettext("This preview is more than a day old. Fill in the form again.")) from error
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise ContestError(gettext("The URL of this preview is damaged. Fill in the form again.")) from error
    if kind not in CHANGES:
        raise ContestError(gettext("This preview was made with another version of the site. Fill in the form again."))
    try:
        return CHANGES[kind](**fields)
    except TypeError as error:
        raise ContestError(
            gettext("This preview was made with another version of the site. Fill in the form again.")
        ) from error


def check(change: Change) -> None:
    """Raise the ContestError that applying the change would raise; the change is rolled back."""
    with transaction.atomic():
        try:
            change.apply(actor=None)
        finally:
            transaction.set_rollback(True)


def propose(change: Change) -> HttpResponse:
    """
    Redirect to the page that previews the change and lets the organizer apply it.

    Raises ContestError if the change is not possible, so that the form can show the error.
    """
    check(change)
    token = token_of(change)
    if len(token) > LONGEST_TOKEN:
        raise ContestError(gettext("This change is too large. Select fewer rows, or shorten the reason."))
    return redirect(f"{reverse('organize:change')}?change={token}")


def contest_of(pk: int) -> Contest:
    """Return the contest that a change is about; ContestError if it no longer exists."""
    contest = Contest.objects.existing().select_related("series", "asked_by").filter(pk=pk).first()
    if contest is None:
        raise ContestError(gettext("This contest no longer exists, because someone has deleted it."))
    return contest


def page_of(contest: Contest) -> str:
    """Return the address of the organizers' page of a contest."""
    return reverse("organize:contest", args=[contest.pk])
