"""Verify the hash chains of the audit log."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from contests.formats.base import counted
from contests.management.commands._arguments import add_series, answer, existing_series
from contests.models import Community, Series
from contests.models.audit import chain_of_community, chain_of_series
from contests.queries.audit_check import ChainEnd, chain_names, check_chain
from contests.services.audit import accept_unsigned, append_all, record

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = (
        "Verify that no entry of the audit log was changed, deleted or inserted. Exits with an error that names the "
        "first wrong entry of each chain. Keep the output of --json outside this server: with --against, a later "
        "check also notices when someone replaced a whole chain or deleted its end."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_series(parser, use="only the entries of this series")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print the ends of the chains as JSON")
        parser.add_argument("--against", type=Path, metavar="FILE", help="earlier outputs of --json, one on each line")
        parser.add_argument(
            "--accept",
            action="store_true",
            help="append entries without a valid signature, for example those of the old processes during an update. "
            "Check them first. This is recorded too.",
        )

    def handle(
        self, *args: Any, series: str | None, as_json: bool, against: Path | None, accept: bool, **options: Any
    ) -> None:
        append_all()
        known = _kept_ends(against) if against is not None else {}
        names = [chain_of_series(existing_series(series).pk)] if series else sorted({*chain_names(), *known})
        reports = [check_chain(name, known.get(name, ())) for name in names]
        if accept and any(report.unsigned for report in reports):
            _accept([pk for report in reports for pk in report.unsigned])
            append_all()
            reports = [check_chain(name, known.get(name, ())) for name in sorted({*names, *chain_names()} - {""})]
        called = _names_in_words(report.name for report in reports)
        broken = [report for report in reports if report.problem]
        if broken:
            raise CommandError("\n".join(f"{called[report.name]}: {report.problem}." for report in broken))
        ends = {report.name: {"length": report.end.length, "digest": report.end.digest} for report in reports}
        count = sum(report.end.length for report in reports)
        entries = "1 entry" if count == 1 else f"{count:,} entries"
        words = f"The audit log is intact: {entries} in {counted(len(reports), 'chain')}."
        answer(self, {"chains": ends}, words, as_json=as_json)


@transaction.atomic
def _accept(ids: list[int]) -> None:
    count = accept_unsigned(ids)
    record("audit.accept", subject=f"{count} audit entries without a valid signature", actor=None, after={"ids": ids})


def _names_in_words(chains: Any) -> dict[str, str]:
    names = {
        "": "Entries of an older version",
        "accounts": "Accounts",
        "site": "The site",
        **{chain_of_series(one.pk): f"Series {one.full_slug}" for one in Series.objects.only("community", "slug")},
        **{chain_of_community(pk): f"Community {pk}" for pk in Community.objects.values_list("pk", flat=True)},
    }
    return {chain: names.get(chain, f"Deleted {chain}") for chain in chains}


def _kept_ends(path: Path) -> dict[str, list[ChainEnd]]:
    """Return the ends in a file of earlier outputs; CommandError if it is not such a file."""
    kept: dict[str, list[ChainEnd]] = defaultdict(list)
    number = 1
    try:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):  # noqa: B007
            for name, end in json.loads(line)["chains"].items():
                kept[name].append(ChainEnd(int(end["length"]), str(end["digest"])))
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CommandError(f"{path}, line {number}: this is not an output of verify_audit --json.") from error
    return kept
