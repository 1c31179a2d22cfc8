"""Create, describe and delete series."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from contests.errors import ChangedMeanwhile, ContestError
from contests.handles import printable
from contests.matching.name_index import index_merged_players
from contests.models import Community, ContestState, Series
from contests.services.audit import record
from contests.services.communities import default_community
from contests.services.quotas import check_series
from contests.wording import grouped

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic(durable=True)
def create_series(
    slug: str,
    *,
    community: str | None = None,
    name: str,
    description: str = "",
    is_public: bool = True,
    needs_approval: bool = False,
    takes_reports: bool = False,
    actor: User | None = None,
) -> Series:
    """
    Create a series; its creator becomes its organizer.

    community
        The slug of an existing community; by default, the default one, which is created if it does not exist.
    """
    _require_name(name)
    slug_of_community = default_community().pk if community is None else community
    # Locked, because the series gets the visibility of the community, which someone may be changing.
    owner = Community.objects.select_for_update(no_key=True).filter(pk=slug_of_community).first()
    if owner is None:
        raise ContestError(
            gettext("The community “%(slug_of_community)s” no longer exists. Reload the page.")
            % {"slug_of_community": printable(slug_of_community)}
        )
    check_series(owner.pk, actor)
    try:
        with transaction.atomic():
            series = Series.objects.create(
                community=owner,
                slug=slug,
                name=name.strip(),
                description=description,
                is_private=not is_public,
                needs_approval=needs_approval,
                takes_reports=takes_reports,
            )
    except IntegrityError as error:
        raise ContestError(
            gettext("This community already has a series “%(slug)s”. Choose another short name.") % {"slug": slug}
        ) from error
    if actor is not None:
        series.organizers.add(actor)
    record("series.create", subject=f"series {slug}", series=series, actor=actor, after=description_of(series))
    return series


@transaction.atomic(durable=True)
def describe_series(
    series_id: int,
    *,
    name: str,
    description: str,
    is_public: bool,
    needs_approval: bool | None = None,
    takes_reports: bool | None = None,
    seen: str = "",
    actor: User | None = None,
) -> Series:
    """
    Change the description and settings of a series; its results and ratings stay the same.

    needs_approval
        Whether a second person has to finalize contests; None leaves it unchanged.
    takes_reports
        Whether players with an account may report games; None leaves it unchanged. ContestError if the series has
        contests of more than two players.
    seen
        The `fingerprint` of the series that the organizer saw; ChangedMeanwhile if it has a different one now.
    """
    _require_name(name)
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    before = description_of(series)
    if needs_approval is None:
        needs_approval = series.needs_approval
    if takes_reports is None:
        takes_reports = series.takes_reports
    after = {
        "name": name.strip(), "description": description, "public": is_public, "needs_approval": needs_approval,
        "takes_reports": takes_reports,
    }  # fmt: skip
    if before == after:
        return series
    if seen and seen != fingerprint(series):
        raise ChangedMeanwhile(
            gettext(
                "Someone else changed “%(name)s” while you were editing it. Your changes are still in "
                "the form but have not been saved. Save them again if they should replace the other changes."
            )
            % {"name": series.name}
        )
    if takes_reports and not series.takes_reports:
        _require_games(series)
    series.name, series.description = name.strip(), description
    series.is_private, series.needs_approval = not is_public, needs_approval
    series.takes_reports = takes_reports
    series.save(update_fields=["name", "description", "is_private", "needs_approval", "takes_reports"])
    if before["needs_approval"] and not needs_approval:
        # Otherwise, pages would still say that someone else has to finalize these drafts.
        series.contests.filter(state=ContestState.DRAFT).update(asked_by=None, asked_at=None)
    if before["public"] != after["public"]:
        index_merged_players(series.community_id)
    record("series.describe", subject=f"series {series.slug}", series=series, actor=actor, before=before, after=after)
    return series


def description_of(series: Series) -> dict[str, object]:
    """Return the description and settings of a series by name."""
    return {
        "name": series.name,
        "description": series.description,
        "public": not series.is_private,
        "needs_approval": series.needs_approval,
        "takes_reports": series.takes_reports,
    }


def fingerprint(series: Series) -> str:
    """Return a digest of the description and settings of a series."""
    return hashlib.sha256(json.dumps(description_of(series), sort_keys=True).encode()).hexdigest()[:16]


def has_counted(series: Series) -> bool:
    """Whether a contest of the series has ever been finalized, even if someone has deleted it since."""
    return series.contests.filter(finalized_at__isnull=False).exists()


@transaction.atomic(durable=True)
def delete_series(series_id: int, *, actor: User | None = None) -> None:
    """Delete a series with its drafts; ContestError if one of its contests has ever been finalized."""
    # The locks keep new contests out, and wait for an organizer who is finalizing one.
    series = Series.objects.select_for_update().filter(pk=series_id).first()
    if series is None:
        raise ContestError(gettext("This series no longer exists."))
    list(series.contests.select_for_update().order_by("pk").values_list("pk"))
    if has_counted(series):
        raise ContestError(
            gettext(
                "“%(name)s” cannot be deleted, because it has had finalized contests. You can make it private instead."
            )
            % {"name": series.name}
        )
    record(
        "series.delete", subject=f"series {series.slug}", community=series.community_id, actor=actor,
        before=description_of(series) | {"drafts": series.contests.existing().listed_alone().count()},
    )  # fmt: skip
    series.contests.all().delete()
    series.delete()


@transaction.atomic(durable=True)
def discard_empty_series(series_id: int) -> None:
    """Delete a series that was created for a failed import; do nothing if it has contests."""
    # The lock waits for an import of another process into this series, and keeps the next one out.
    series = Series.objects.select_for_update().filter(pk=series_id).first()
    if series is not None and not series.contests.exists():
        series.delete()


def _require_games(series: Series) -> None:
    larger = series.contests.existing().filter(is_event=False, has_teams=False, standing_count__gt=2).first()
    if larger is not None:
        raise ContestError(
            gettext(
                "Players can report games only if every contest of the series is a game between two players. "
                "“%(name)s” has %(number)s participants."
            )
            % {"name": larger.name, "number": grouped(larger.standing_count)}
        )


def _require_name(name: str) -> None:
    if not name.strip():
        raise ContestError(gettext("A series needs a name, for example “Harbour Cup”."))
