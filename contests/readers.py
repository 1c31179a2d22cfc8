"""Readers of data: people, and programs that have a token of a community."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


@dataclass(frozen=True, slots=True)
class CommunityReader:
    """
    A program with a token of a community. It may read what a viewer of that community may read.

    The functions of `contests.queries.visibility` accept it where they accept a user. It has no other attributes of a
    user: mypy finds code that was written for people only, and such code fails instead of mistaking the program for an
    anonymous visitor.
    """

    community_id: str
    is_authenticated: Literal[True] = True
    is_staff: Literal[False] = False


if TYPE_CHECKING:
    #: Anyone whose right to read is checked.
    Visitor = User | AnonymousUser | CommunityReader
