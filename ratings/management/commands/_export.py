"""The common part of the two exports: the options and the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.management.base import CommandError

from contests.management.commands._arguments import add_series
from contests.management.commands._rows import add_format_arguments
from ratings.models import Run

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

    from contests.models import Series


def add_arguments(parser: ArgumentParser, formats: Sequence[str]) -> None:
    """Add the options that both exports have."""
    add_series(parser, required=True)
    add_format_arguments(parser, formats)


def published_run(series: Series, number: int | None) -> Run:
    """Return the run with that number, or the current one; CommandError if it was not published."""
    runs = Run.objects.published().filter(series=series)
    run = runs.filter(number=number).first() if number is not None else runs.order_by("-number").first()
    if run is None:
        which = f"no published run {number}" if number is not None else "no published run yet; rate it first"
        raise CommandError(f"Series “{series.full_slug}” has {which}.")
    return run
