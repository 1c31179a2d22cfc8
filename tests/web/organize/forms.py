"""Forms as an organizer's browser sends them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

if TYPE_CHECKING:
    from django.test import Client

    from contests.models import Contest

CONTEST = {"name": "Spring Round", "ends_at": "2025-05-01T18:00", "weight": "1", "is_rated": "on"}
GAME = {"first": "ann", "second": "zoe", "result": "first", "day": "2025-05-01"}
SERIES = {
    "community": "main",
    "name": "Harbour Cup",
    "slug": "",
    "is_public": "on",
    "mapping": "offset",
    "system": "elo-mmr",
}


def file(content: bytes | str, name: str = "standings.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def upload(client: Client, contest: Contest, content: bytes | str, name: str = "standings.csv") -> Any:
    """Send a standings file for a draft; follow to its review."""
    return client.post(reverse("organize:upload", args=[contest.pk]), {"file": file(content, name)}, follow=True)


def press(client: Client, review: Any, name: str, **fields: object) -> Any:
    """Press a button of a review page: "save", "read", "decide-people", "apply-description", "now" or "discard"."""
    address = reverse(f"organize:review-{name}", args=[review.context["contest"].pk, review.context["staged"].token])
    return client.post(address, {key: str(value) for key, value in fields.items()}, follow=True)


def save(client: Client, review: Any) -> Any:
    """Press "Save as draft standings" on a review page, and confirm the players that the question before proposes."""
    answer = press(client, review, "save", version=review.context["version"])
    if "more" not in answer.context:
        return answer
    said = {"asked": 1, "version": answer.context["version"], "stamp": answer.context["stamp"]}
    for i, person in enumerate(answer.context["people"]):
        known = person.likely_id
        said |= {f"handle_{i}": person.handle, f"who_{i}": f"player-{known}" if known else "new"}
    return press(client, review, "save", **said)


def confirm(client: Client, answer: Any) -> Any:
    """Press the button on the page that shows what a proposed change would do; follow to where it leads."""
    assert answer.status_code == 302, answer.content.decode()
    assert answer["Location"].startswith(reverse("organize:change")), answer["Location"]
    return client.post(answer["Location"], follow=True)


def finalize(client: Client, contest: Contest) -> Any:
    """Finalize a draft: look at what it would do, and press the button."""
    return confirm(client, client.post(reverse("organize:finalize", args=[contest.pk])))
