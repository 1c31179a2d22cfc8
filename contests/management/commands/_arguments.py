"""Helpers for management commands: find a series, and print results as text or JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from contests.models import Series
from contests.queries.visibility import named_series

if TYPE_CHECKING:
    from django.core.management.base import BaseCommand


def existing_series(slug: str) -> Series:
    """Return the series named [COMMUNITY/]SLUG; CommandError with the known series if it does not exist."""
    series = named_series(slug, Series.objects.all())
    if series is None:
        known = ", ".join(one.full_slug for one in Series.objects.order_by("slug")[:20]) or "none yet"
        raise CommandError(f"There is no series “{slug}”. Known series: {known}.")
    return series


def answer(command: BaseCommand, result: dict[str, Any], words: str, *, as_json: bool) -> None:
    """Print the result as one JSON object, or as text."""
    command.stdout.write(json.dumps(result, ensure_ascii=False, default=str) if as_json else words)
