"""Create and describe communities, and give people roles in them."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Case, Value, When
from django.utils.translation import gettext

from contests.errors import ContestError
from contests.images import logo_files
from contests.matching.name_index import index_merged_players
from contests.models import Community, CommunityLogo, Membership, PlayerMerge, Role, Series, Visibility
from contests.models.community import LONGEST_SLUG
from contests.services.audit import record
from contests.services.quotas import check_communities, check_members
from contests.services.transactions import lock_players_exclusive

if TYPE_CHECKING:
    from django.contrib.auth.models import User


#: The fields that describe a community and are in the audit log.
_DESCRIPTION = ("name", "description", "visibility", "website", "accent", "licence", "names_first")
#: The random end of the address of a private community: about 50 bits, of characters that no one mistakes for each
#: other.
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
ENDING_LENGTH = 10
#: Words of names that are not written as an abbreviation, and words that begin with a lower-case letter inside a name.
_PARTICLES = frozenset({"a", "an", "and", "at", "by", "de", "der", "for", "in", "of", "on", "the", "to"})
_SHORT_WORDS = _PARTICLES | {"cup", "day", "go", "new", "old", "one", "our", "pro", "red", "sea", "top", "two"}
_ENDING = re.compile(rf"[{_LETTERS}]{{{ENDING_LENGTH}}}")


def default_community() -> Community:
    """Return the community that commands use when none is named, created if it does not exist."""
    slug = settings.PODIUM_COMMUNITY
    community = Community.objects.filter(pk=slug).first()
    return community or Community.objects.get_or_create(slug=slug, defaults={"name": name_of_slug(slug)})[0]


def name_of_slug(slug: str) -> str:
    """
    Return a name for something that only has a slug so far: “harbour-club” becomes “Harbour Club”, “imo” becomes “IMO”.

    Short words, and words without vowels, are nearly always abbreviations.
    """
    first, *rest = re.split("[-_]+", slug.strip("-_"))
    return " ".join([_written(first), *(word if word in _PARTICLES else _written(word) for word in rest)])


def _written(word: str) -> str:
    is_abbreviation = word not in _SHORT_WORDS and (len(word) <= 3 or not set(word) & set("aeiouy"))
    return word.upper() if is_abbreviation else word.capitalize()


@transaction.atomic
def create_community(
    slug: str,
    *,
    name: str,
    description: str = "",
    visibility: str = Visibility.PUBLIC,
    website: str = "",
    ending: str = "",
    actor: User | None = None,
) -> Community:
    """
    Create a community; its creator becomes its first owner.

    The short name of a private one gets a random end. Otherwise “is taken” would tell anyone which private ones exist.

    ending
        The end that the creator has been shown, from `random_ending`; empty for a new one.
    """
    check_communities(actor)
    community = Community(slug=slug, name=name.strip(), description=description, visibility=visibility, website=website)
    _check(community)
    if visibility == Visibility.PRIVATE:
        slug = community.slug = private_slug(slug, random_ending(ending))
    try:
        with transaction.atomic():
            community.save(force_insert=True)
    except IntegrityError as error:
        raise ContestError(
            gettext("The short name “%(slug)s” is taken. Choose another one.") % {"slug": slug}
        ) from error
    if actor is not None:
        Membership.objects.create(community=community, user=actor, role=Role.OWNER)
    record(
        "community.create", subject=f"community {slug}", community=slug, actor=actor, after=description_of(community)
    )
    return community


def random_ending(shown: str = "") -> str:
    """Return the random end that a form has shown for a private community's short name, or a new one."""
    if _ENDING.fullmatch(shown):
        return shown
    return "".join(secrets.choice(_LETTERS) for _ in range(ENDING_LENGTH))


def private_slug(slug: str, ending: str) -> str:
    """Return the short name of a private community, cut to fit."""
    return f"{slug[: LONGEST_SLUG - ENDING_LENGTH - 1].rstrip('-')}-{ending}"


@transaction.atomic
def describe_community(
    slug: str,
    *,
    name: str,
    description: str,
    visibility: str,
    website: str | None = None,
    accent: str | None = None,
    licence: str | None = None,
    names_first: bool | None = None,
    actor: User | None = None,
) -> Community:
    """
    Change the description of a community; its series become as visible as it is.

    None leaves a value unchanged. `website`, `accent` and `licence` may be empty.
    """
    community = _locked(slug)
    before = description_of(community)
    community.name, community.description, community.visibility = name.strip(), description, visibility
    changes = {"website": website, "accent": accent and accent.lower(), "licence": licence}
    for field, value in changes.items():
        if value is not None:
            setattr(community, field, value.strip())
    if names_first is not None:
        community.names_first = names_first
    _check(community)
    after = description_of(community)
    if before == after:
        return community
    community.save(update_fields=list(_DESCRIPTION))
    is_open, is_listed = visibility != Visibility.PRIVATE, visibility == Visibility.PUBLIC
    Series.objects.filter(community=community).update(
        is_public=Case(When(is_private=True, then=False), default=Value(is_open)),
        is_listed=Case(When(is_private=True, then=False), default=Value(is_listed)),
    )
    if before["visibility"] != after["visibility"]:
        index_merged_players(slug)
    record("community.describe", subject=f"community {slug}", community=slug, actor=actor, before=before, after=after)
    return community


@transaction.atomic
def set_logo(slug: str, content: bytes | None, *, actor: User | None = None) -> Community:
    """
    Set the logo of a community from an image file, or remove it with None.

    ContestError if the file is not an image that Podium reads, or is too large.
    """
    digest, files = logo_files(content) if content is not None else ("", {})
    community = _locked(slug)
    before = community.logo
    if before == digest:
        return community
    CommunityLogo.objects.filter(community=community).delete()
    CommunityLogo.objects.bulk_create(
        CommunityLogo(community=community, size=size, content=file) for size, file in files.items()
    )
    community.logo = digest
    community.save(update_fields=["logo"])
    record(
        "community.logo", subject=f"community {slug}", community=slug, actor=actor,
        before={"logo": before}, after={"logo": digest},
    )  # fmt: skip
    return community


@transaction.atomic
def delete_community(slug: str, *, actor: User | None = None) -> None:
    """Delete a community without series, with its players, who have no results; ContestError if it has series."""
    lock_players_exclusive()
    # Unlike the lock of other changes, this one keeps new series out.
    community = Community.objects.select_for_update().get(pk=slug)
    if community.series.exists():
        raise ContestError(
            gettext("“%(name)s” has series, so it cannot be deleted. You can make it private instead.")
            % {"name": community.name}
        )
    before = description_of(community) | {"players": community.players.existing().count()}
    record("community.delete", subject=f"community {slug}", community=slug, actor=actor, before=before)
    PlayerMerge.objects.filter(kept__community=community).delete()
    community.players.exclude(merged_into=None).delete()
    community.players.all().delete()
    community.delete()


def may_create_community(user: User) -> bool:
    """Whether PODIUM_NEW_COMMUNITIES lets this person create a community."""
    allowed = settings.PODIUM_NEW_COMMUNITIES
    if user.is_staff or allowed == "anyone":
        return True
    # Someone who organizes anything has accepted an invitation, or an owner has added them.
    organizes = Community.objects.organized_by(user).exists() or Series.objects.organized_by(user).exists()
    return bool(allowed == "invitation") and organizes


@transaction.atomic
def set_role(slug: str, user: User, role: str, *, actor: User | None = None) -> Membership:
    """Set a person's role in a community; ContestError if the community would be left without an owner."""
    _locked(slug)
    member = Membership.objects.filter(community=slug, user=user).first()
    before = member.role if member is not None else ""
    if member is not None and before == role:
        return member
    if member is not None:
        refuse_last_owner(member, actor)
        member.role = role
        member.save(update_fields=["role"])
    else:
        check_members(slug, actor)
        member = Membership.objects.create(community_id=slug, user=user, role=role)
    _record_role(slug, user, before, role, actor)
    return member


@transaction.atomic
def remove_member(slug: str, user_id: int, *, actor: User | None = None) -> None:
    """Take a person's role away; do nothing if there is none. ContestError for the last owner."""
    _locked(slug)
    member = Membership.objects.select_related("user").filter(community=slug, user=user_id).first()
    if member is None:
        return
    refuse_last_owner(member, actor)
    member.delete()
    _record_role(slug, member.user, member.role, "", actor)


def refuse_last_owner(member: Membership, actor: User | None) -> None:
    """Raise ContestError if no other active account owns the community, unless the actor is staff."""
    if member.role != Role.OWNER or (actor is not None and actor.is_staff):
        return
    others = Membership.objects.filter(community=member.community_id, role=Role.OWNER, user__is_active=True)
    if others.exclude(pk=member.pk).exists():
        return
    if actor == member.user:
        raise ContestError(gettext("You are the last owner. Make someone else an owner first."))
    raise ContestError(
        gettext(
            "%(username)s is the last owner. Make someone else an owner first. Only site administrators can remove "
            "the last owner."
        )
        % {"username": member.user.get_username()}
    )


@transaction.atomic(durable=True)
def discard_empty_community(slug: str) -> None:
    """Delete a community that was created for a failed import; do nothing if anything or anyone is in it."""
    community = Community.objects.select_for_update().filter(pk=slug).first()
    if community is None or community.memberships.exists():
        return
    if not community.series.exists() and not community.players.exists():
        community.delete()


def description_of(community: Community) -> dict[str, object]:
    """Return the description of a community by field name."""
    return {name: getattr(community, name) for name in _DESCRIPTION}


def _locked(slug: str) -> Community:
    return Community.objects.select_for_update(no_key=True).get(pk=slug)


def _check(community: Community) -> None:
    try:
        community.clean_fields(exclude=["description"])
    except ValidationError as error:
        raise ContestError(" ".join(error.messages)) from error


def _record_role(slug: str, user: User, before: str, after: str, actor: User | None) -> None:
    action = "member.remove" if not after else "member.role" if before else "member.add"
    name = user.get_username()
    record(
        action, subject=name[:400], community=slug, actor=actor,
        before={"user": name, "role": before}, after={"user": name, "role": after},
    )  # fmt: skip
