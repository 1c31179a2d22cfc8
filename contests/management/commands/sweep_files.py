"""Run the hourly deletion of unused files now, in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand

from contests.formats.base import counted
from contests.management.commands._arguments import answer
from contests.uploads.files import sweep_files

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = (
        "Delete uploaded files that were not saved within two days, uploads without a contest, files below uploads/ "
        "without an upload, and temporary folders of killed processes. A worker does this every hour."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", dest="as_json", help="print the numbers as JSON")

    def handle(self, *args: Any, as_json: bool, **options: Any) -> None:
        deleted = sweep_files()
        words = (
            f"Deleted {counted(deleted['staged'], 'staged file')}, {counted(deleted['uploads'], 'unused upload')}, "
            f"{counted(deleted['without_a_row'], 'file')} without an upload and "
            f"{counted(deleted['of_processes'], 'folder')} of killed processes."
        )
        answer(self, deleted, words, as_json=as_json)
