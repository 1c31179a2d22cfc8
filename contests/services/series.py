"""Creating and describing series."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction

from contests.errors import ChangedMeanwhile, ContestError
from contests.models import Series
from contests.services.transactions import record

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic(durable=True)
def create_series(
    slug: str,
    *,
    name: str,
    description: str = "",
    is_public: bool = True,
    needs_approval: bool = False,
    actor: User | None = None,
) -> Series:
    """Create a series; the one who creates it organizes it."""
    _require_name(name)
    try:
        with transaction.atomic():
            series = Series.objects.create(
                slug=slug,
                name=name.strip(),
                description=description,
                is_public=is_public,
                needs_approval=needs_approval,
            )
    except IntegrityError as error:
        raise ContestError(f"There is a series “{slug}” already; choose another short name.") from error
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
    seen: str = "",
    actor: User | None = None,
) -> Series:
    """
    Change what people read about a series and how it is organized; its results and ratings stay as they are.

    needs_approval
        Whether a second person finalizes; None: as it was.
    seen
        `fingerprint` of the series that the organizer looked at; ChangedMeanwhile if it has another by now.
    """
    _require_name(name)
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    before = description_of(series)
    if needs_approval is None:
        needs_approval = series.needs_approval
    after = {"name": name.strip(), "description": description, "public": is_public, "needs_approval": needs_approval}
    if before == after:
        return series
    if seen and seen != fingerprint(series):
        raise ChangedMeanwhile(
            f"Somebody else has changed “{series.name}” while you were at it. Nothing of yours has been saved, and "
            "nothing of theirs is lost. What you wrote is still in the form: save it again if it should replace theirs."
        )
    series.name, series.description = name.strip(), description
    series.is_public, series.needs_approval = is_public, needs_approval
    series.save(update_fields=["name", "description", "is_public", "needs_approval"])
    record("series.describe", subject=f"series {series.slug}", series=series, actor=actor, before=before, after=after)
    return series


def description_of(series: Series) -> dict[str, object]:
    """Return what is said of a series."""
    return {
        "name": series.name,
        "description": series.description,
        "public": series.is_public,
        "needs_approval": series.needs_approval,
    }


def fingerprint(series: Series) -> str:
    """Return a short text that is another one as soon as anything else is said of the series."""
    return hashlib.sha256(json.dumps(description_of(series), sort_keys=True).encode()).hexdigest()[:16]


@transaction.atomic(durable=True)
def discard_empty_series(slug: str) -> None:
    """Take away a series that was made for an import which then failed; one that has contests stays."""
    Series.objects.filter(slug=slug, contests=None).delete()


def _require_name(name: str) -> None:
    if not name.strip():
        raise ContestError("A series needs a name, for example “Harbour Cup”.")
