"""Helpers for management commands: name and find a series, and print results as text or JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from contests.models import Community, Series
from contests.queries.visibility import named_series, split_name

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable

    from django.core.management.base import BaseCommand


def add_series(parser: ArgumentParser, *, required: bool = False, use: str = "") -> None:
    """
    Add the option that names a series.

    use
        What the command does with it, for its help.
    """
    words = "; ".join(filter(None, (use, "the slug alone names a series of the community PODIUM_COMMUNITY")))
    parser.add_argument("--series", required=required, metavar="[COMMUNITY/]SLUG", help=words)


def existing_series(name: str) -> Series:
    """Return the series named [COMMUNITY/]SLUG; CommandError with those that exist if there is none."""
    series = named_series(name, Series.objects.all())
    if series is not None:
        return series
    community, _ = split_name(name)
    if "/" in name and not Community.objects.filter(pk=community).exists():
        communities = Community.objects.order_by("slug").values_list("slug", flat=True)[:20]
        raise CommandError(f"There is no community “{community}”. Known communities: {_listed(communities)}.")
    # A slug alone may be meant for a series of another community, so all communities are searched.
    known = [one.full_slug for one in Series.objects.order_by("slug", "community_id")[:20]]
    raise CommandError(f"There is no series “{name}”. Known series: {_listed(known)}.")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none yet"


def answer(command: BaseCommand, result: dict[str, Any], words: str, *, as_json: bool) -> None:
    """Print the result as one JSON object, or as text."""
    command.stdout.write(json.dumps(result, ensure_ascii=False, default=str) if as_json else words)
