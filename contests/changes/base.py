"""What every change gives: its words, its rights, its deed; and how it travels in an address."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from django.core import signing
from django.db import transaction
from django.shortcuts import redirect
from django.urls import reverse

from contests.errors import ContestError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User
    from django.http import HttpResponse

    from contests.models import Contest, Series

_SALT = "podium.change"
#: A form that was filled in longer ago is filled in again, on what is there by then.
LONGEST_THOUGHT = timedelta(days=1)

#: A web server takes addresses of some 4,000 characters.
LONGEST_TOKEN = 3_800

#: kind -> class of every change there is, filled in as they are defined.
CHANGES: dict[str, type[Change]] = {}


@dataclass(frozen=True, slots=True)
class Words:
    """
    A change as people read it before they make it.

    title
        What will be done, as the head of a page: "Disqualify ann in Spring Round".
    button
        The same in one or two words: "Disqualify".
    lines
        What will happen, one plain sentence each.
    differences
        What will be different: (what, before, after) each.
    done
        What to say when it has been made.
    back, after
        The addresses to go to if it is not made, and when it has been made and no rating moves; `back` if empty.
    series
        All series that it touches; people must organize each of them to make it, unless it is about players.
    contest
        The contest whose table shows the effect best, if there is one.
    is_dangerous
        Whether something disappears from the public pages.
    players
        Ids of the players that it is about; people must be allowed to change each of them to make it.
    """

    title: str
    button: str
    done: str
    back: str
    series: Sequence[Series]
    contest: Contest | None = None
    lines: Sequence[str] = ()
    differences: Sequence[tuple[str, object, object]] = ()
    is_dangerous: bool = False
    after: str = ""
    players: Sequence[int] = ()


@dataclass(frozen=True)
class Change(ABC):
    """
    One change. Its fields are plain values that JSON knows; a subclass names its `kind`.

    reason
        Why, in the organizer's words; kept with the change. Services say where it may not be empty.
    """

    kind: ClassVar[str]
    #: Whether it can move ratings at all; others are made without a preview of these.
    moves_ratings: ClassVar[bool] = True

    reason: str = field(default="", kw_only=True)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "kind" in cls.__dict__:
            CHANGES[cls.kind] = cls

    @abstractmethod
    def words(self) -> Words:
        """Return the change in words, as of now; ContestError if what it is about is gone."""

    @abstractmethod
    def apply(self, *, actor: User | None) -> None:
        """Make the change by its service, within the caller's transaction if there is one; ContestError refuses it."""


def token_of(change: Change) -> str:
    """Return the change as a signed text that `read_change` reads."""
    return signing.dumps([change.kind, asdict(change)], salt=_SALT, compress=True)


def read_change(token: str) -> Change:
    """Return the change of a token; ContestError if it is damaged, or too old."""
    try:
        kind, fields = signing.loads(token, salt=_SALT, max_age=LONGEST_THOUGHT)
    except signing.SignatureExpired as error:
        raise ContestError("This proposal is more than a day old; fill in its form again.") from error
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise ContestError("The address of this proposal is damaged; fill in its form again.") from error
    if kind not in CHANGES:
        raise ContestError("This proposal is of another version of the site; fill in its form again.")
    try:
        return CHANGES[kind](**fields)
    except TypeError as error:
        raise ContestError("This proposal is of another version of the site; fill in its form again.") from error


def check(change: Change) -> None:
    """Raise the ContestError that making the change would raise now; nothing is kept of it."""
    with transaction.atomic():
        try:
            change.apply(actor=None)
        finally:
            transaction.set_rollback(True)


def propose(change: Change) -> HttpResponse:
    """
    Lead on to the page that shows what the change would do, and lets it be made.

    ContestError if it is not possible, so that the form it comes from can say so.
    """
    check(change)
    token = token_of(change)
    if len(token) > LONGEST_TOKEN:
        raise ContestError("This is too much for one change: take fewer rows at once, or a shorter reason.")
    return redirect(f"{reverse('organize:change')}?change={token}")
