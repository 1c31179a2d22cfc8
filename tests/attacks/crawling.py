"""Responses of the site to a visitor, without their random parts, and the queries that they take."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings import derived
from ratings.queries import boards, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpResponse
    from django.test import Client

#: Random by design: tokens of forms, the ending of a private community's address, signatures of proposed changes.
_RANDOM = [
    re.compile(rb'name="csrfmiddlewaretoken" value="[^"]+"'),
    re.compile(rb'name="ending" value="[^"]+"'),
    re.compile(rb"/c/[-a-z0-9]+-[a-z2-9]{10}/</code>"),
    re.compile(rb"(?::|%3A|%253A)[0-9A-Za-z]{6}(?::|%3A|%253A)[-\w]{43}"),
]

Answer = tuple[int, tuple[tuple[str, str], ...], bytes]


def forget_cached() -> None:
    """Empty every cache, inside this process and outside it."""
    cache.clear()
    for kept in (snapshot._kept, boards._kept, derived._content):
        kept.cache_clear()


def answer_of(response: HttpResponse) -> Answer:
    """Return what the visitor gets: status, headers, names of cookies and content."""
    sent = b"".join(response) if response.streaming else response.content
    content = _settled(sent)
    headers = sorted(
        (name, _settled(value.encode()).decode())
        for name, value in response.items()
        if name != "Expires" and not (content != sent and name in ("ETag", "Content-Length"))
    )
    return response.status_code, (*headers, *(("Set-Cookie", name) for name in sorted(response.cookies))), content


def _settled(sent: bytes) -> bytes:
    for pattern in _RANDOM:
        sent = pattern.sub(b"", sent)
    return sent


def ask(client: Client, paths: Iterable[str]) -> dict[str, Answer]:
    """Request these addresses."""
    return {path: answer_of(client.get(path)) for path in dict.fromkeys(paths)}


def differences(before: dict[str, Answer], after: dict[str, Answer]) -> list[str]:
    """Return where two sets of answers to the same requests differ."""
    assert before.keys() == after.keys()
    wrong = []
    for path, (status, headers, content) in before.items():
        now = after[path]
        if now[0] != status:
            wrong.append(f"{path}: {status} became {now[0]}")
        if now[2] != content:
            at = next((i for i, (a, b) in enumerate(zip(content, now[2], strict=False)) if a != b), -1)
            wrong.append(f"{path}: {content[max(0, at - 60) : at + 60]!r} became {now[2][max(0, at - 60) : at + 60]!r}")
        elif now[1] != headers:
            wrong.append(f"{path}: {set(now[1]) ^ set(headers)}")
    return wrong


def queries_of(client: Client, paths: Iterable[str]) -> dict[str, int]:
    """Return the number of queries for each address while nothing is cached."""
    counts = {}
    for path in paths:
        forget_cached()
        with CaptureQueriesContext(connection) as captured:
            client.get(path)
        counts[path] = len(captured)
    return counts
