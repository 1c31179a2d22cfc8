"""Delete now, in this process, the files that the hourly task deletes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand

from contests.management.commands._arguments import answer
from contests.uploads.files import sweep_files

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = (
        "Delete files that nobody has saved for two days, uploads that no contest was made from, files below uploads/ "
        "that no upload leads to, and temporary folders of processes that were killed. A worker does so every hour."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", dest="as_json", help="print the numbers as JSON")

    def handle(self, *args: Any, as_json: bool, **options: Any) -> None:
        deleted = sweep_files()
        words = (
            f"Deleted {deleted['staged']} staged files, {deleted['uploads']} unused uploads, "
            f"{deleted['without_a_row']} files without an upload and {deleted['of_processes']} folders of killed "
            "processes."
        )
        answer(self, deleted, words, as_json=as_json)
