"""Helpers for tests of the review of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contests.models import AuditEntry, Contest, Player, PlayerAlias, Standing, Upload
from tests.web.organize.forms import press

if TYPE_CHECKING:
    from django.test import Client

STORED = (Contest, Standing, Player, PlayerAlias, Upload, AuditEntry)


def stored() -> dict[str, int]:
    counts = {model.__name__: model.objects.count() for model in STORED}
    return {**counts, "Upload": Upload.objects.saved().count()}


def handles(contest: Contest) -> list[str]:
    return list(contest.standings.order_by("place", "id").values_list("player__handle", flat=True))


def mapping(**said: object) -> dict[str, object]:
    """Return the initial values of the form that reads a table, without its columns."""
    return {"header_row": 1, "decimal_comma": "", "sheet": "", **said}


def decide(client: Client, review: Any, **said: object) -> Any:
    """Press "Apply" below the people of a file."""
    return press(client, review, "decide-people", **said)
