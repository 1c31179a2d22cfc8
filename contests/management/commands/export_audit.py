"""Export the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand

from contests.management.commands._arguments import add_series, existing_series
from contests.management.commands._rows import add_format_arguments, write_rows
from contests.queries.audit_export import AUDIT_COLUMNS, audit_rows

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Export the audit log, oldest entries first: of one series, or of the whole site with its accounts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_series(parser, use="default: the whole site")
        add_format_arguments(parser, ("csv", "jsonl"))

    def handle(self, *args: Any, series: str | None, **options: Any) -> None:
        rows = audit_rows(existing_series(series) if series else None)
        count = write_rows(AUDIT_COLUMNS, rows, form=options["format"], output=options["output"])
        self.stderr.write("1 audit entry." if count == 1 else f"{count:,} audit entries.")
