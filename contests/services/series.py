"""Creating and describing series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction

from contests.errors import ContestError
from contests.models import Series
from contests.services.audit import record

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic(durable=True)
def create_series(
    slug: str, *, name: str, description: str = "", is_public: bool = True, actor: User | None = None
) -> Series:
    """Create a series; the one who creates it organizes it."""
    _require_name(name)
    try:
        with transaction.atomic():
            series = Series.objects.create(slug=slug, name=name.strip(), description=description, is_public=is_public)
    except IntegrityError as error:
        raise ContestError(f"There is a series “{slug}” already; choose another short name.") from error
    if actor is not None:
        series.organizers.add(actor)
    record(
        "series.create", subject=f"series {slug}", series=series, actor=actor, after={"name": name, "public": is_public}
    )
    return series


@transaction.atomic(durable=True)
def describe_series(
    series_id: int, *, name: str, description: str, is_public: bool, actor: User | None = None
) -> Series:
    """Change what people read about a series; its results and ratings stay as they are."""
    _require_name(name)
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    before = {"name": series.name, "description": series.description, "public": series.is_public}
    series.name, series.description, series.is_public = name.strip(), description, is_public
    series.save(update_fields=["name", "description", "is_public"])
    after = {"name": series.name, "description": series.description, "public": series.is_public}
    record("series.describe", subject=f"series {series.slug}", series=series, actor=actor, before=before, after=after)
    return series


@transaction.atomic(durable=True)
def discard_empty_series(slug: str) -> None:
    """Take away a series that was made for an import which then failed; one that has contests stays."""
    Series.objects.filter(slug=slug, contests=None).delete()


def _require_name(name: str) -> None:
    if not name.strip():
        raise ContestError("A series needs a name, for example “Harbour Cup”.")
