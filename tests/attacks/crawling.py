"""Everything that a visitor can get from the site: all linked addresses, and guesses at what might exist."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings import derived
from ratings.queries import boards, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.http import HttpResponse
    from django.test import Client

HOST = "http://testserver"
#: Texts that name an address: attributes of HTML, elements of XML, strings of JSON, lines of calendars.
_ADDRESS = re.compile(
    r"""(?:(?:href|src|action|content)="|<loc>|<id>|"(?:url|next|previous)":\s*"|\b\w+:)([^"<>\s]+)"""
)
#: Not part of what communities contain: files, sign-in, the administration, and the choice of a language.
_SKIPPED = ("/static/", "/accounts/", "/account/", "/admin/", "/language/", "/api/v1/docs", "/api/v1/schema")
#: Differs between two responses with the same content.
_TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]+"')
#: Addresses with the same path that links add: more of them show the same in another order.
VARIANTS = 3
#: The pages of one person; the next id is tried far beyond the last public one.
IDS = 24

Answer = tuple[int, tuple[tuple[str, str], ...], bytes]


def forget_cached() -> None:
    """Empty every cache, in the process and beside it."""
    cache.clear()
    for kept in (snapshot._kept, boards._kept, derived._content):
        kept.cache_clear()


def answer_of(response: HttpResponse) -> Answer:
    """Return what the visitor gets: status, headers and content."""
    content = _TOKEN.sub(b"", b"".join(response) if response.streaming else response.content)
    has_token = content != (b"".join(response) if response.streaming else response.content)
    headers = sorted(
        (name, value)
        for name, value in response.items()
        if name != "Expires" and not (has_token and name in ("ETag", "Content-Length"))
    )
    return response.status_code, tuple(headers), content


def crawl(client: Client, seeds: Iterable[str]) -> dict[str, Answer]:
    """Request these addresses and all that the responses link to."""
    waiting, found = list(dict.fromkeys(seeds)), {}
    seen: dict[str, list[str]] = {}
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        response = client.get(path)
        found[path] = answer_of(response)
        for linked in _linked(path, response):
            variants = seen.setdefault(linked.partition("?")[0], [])
            if linked not in found and linked not in variants and len(variants) < VARIANTS:
                variants.append(linked)
                waiting.append(linked)
    return found


def queries_of(client: Client, paths: Iterable[str]) -> dict[str, int]:
    """Return the number of queries for each address while nothing is cached."""
    counts = {}
    for path in paths:
        forget_cached()
        with CaptureQueriesContext(connection) as captured:
            client.get(path)
        counts[path] = len(captured)
    return counts


def _linked(path: str, response: HttpResponse) -> Iterator[str]:
    if location := response.headers.get("Location"):
        yield from _own(path, location)
    kind = response.headers.get("Content-Type", "")
    if not kind.startswith(("text/", "application/")) or response.streaming:
        return
    for address in _ADDRESS.findall(response.content.decode(errors="replace")):
        yield from _own(path, html.unescape(address))


def _own(path: str, address: str) -> Iterator[str]:
    address = address.removeprefix(HOST).partition("#")[0]
    if address.startswith("?"):
        address = path.partition("?")[0] + address
    if address.startswith("/") and not address.startswith("//") and not address.startswith(_SKIPPED):
        parts = urlsplit(address)
        yield quote(parts.path, safe="/%~:@!$&'()*+,;=-._") + (f"?{parts.query}" if parts.query else "")


def guesses(names: Iterable[str], series: Iterable[tuple[str, str]], communities: Iterable[str]) -> Iterator[str]:
    """
    Yield addresses that someone might try: by id, by handle, by slug, by any part of a name.

    series
        Pairs of a community and a slug.
    """
    yield from ("/", "/c/", "/contests/", "/players/", "/series/", "/robots.txt", "/sitemap.xml", "/sitemap-series.xml")
    yield from ("/feeds/results.atom", "/feeds/contests.ics", "/.well-known/security.txt", "/healthz", "/api/v1/")
    yield from (f"/api/v1/{name}/" for name in ("series", "communities", "contests", "players", "compare"))
    for pk in range(1, IDS):
        yield f"/contests/{pk}/"
        yield f"/contests/{pk}/analysis/"
        yield from (f"/organize/{kind}/{pk}/" for kind in ("contests", "people"))
        yield from (f"/api/v1/contests/{pk}/{part}" for part in ("", "standings/", "rating-changes/"))
        yield from (f"/api/v1/players/{pk}/{part}" for part in ("", "history/"))
    for community in communities:
        yield f"/c/{community}/"
        yield f"/organize/c/{community}/"
        yield from (f"/api/v1/communities/{community}/{part}" for part in ("", "series/", "players/"))
    for community, slug in series:
        yield from _about_series(community, slug)
    for name in names:
        yield from _about_name(name, communities)


_SERIES_PAGES = (
    "", "leaderboard/", "distribution/", "records/", "countries/", "affiliations/", "what-if/", "how/", "leagues/",
    "season/", "results.atom", "contests.ics", "sitemap-contests.xml", "sitemap-players-1.xml",
)  # fmt: skip


def _about_series(community: str, slug: str) -> Iterator[str]:
    yield from (f"/c/{community}/series/{slug}/{page}" for page in _SERIES_PAGES)
    yield from (f"/organize/c/{community}/series/{slug}/{page}" for page in ("", "people/", "runs/", "progress.json"))
    yield from (f"/api/v1/communities/{community}/series/{slug}/{page}" for page in (
        "", "leaderboard/", "distribution/", "runs/", "changes/"
    ))  # fmt: skip
    name = f"{community}/{slug}"
    yield from (f"{page}?series={name}" for page in ("/contests/", "/compare/", "/suggest/", "/api/v1/contests/"))
    yield f"/search/?q={slug}"
    yield f"/suggest/?q={slug[:4]}"
    yield f"/series/{slug}/"
    yield f"/suggest/?q=a&series={name}"


def _about_name(name: str, communities: Iterable[str]) -> Iterator[str]:
    word = quote(name, safe="")
    for community in communities:
        yield from (f"/c/{community}/{page}/{word}/" for page in ("players", "histories", "cards", "badges", "widgets"))
        yield f"/c/{community}/players/{word}/?view=results"
        yield from (f"/api/v1/communities/{community}/players/{word}/{part}" for part in ("", "history/"))
        yield f"/api/v1/communities/{community}/players/?search={word}"
        yield from (f"{page}?community={community}&players={word}" for page in ("/compare/", "/api/v1/compare/"))
        yield f"/c/{community}/series/cup/leaderboard/?q={word}"
        yield f"/c/{community}/series/cup/leaderboard/?find={word}"
        yield f"/c/{community}/series/cup/what-if/?player={word}"
        yield f"/c/{community}/series/cup/distribution/?player={word}"
    yield f"/contests/1/?find={word}"
    yield f"/contests/1/why/{word}/"
    yield f"/players/{word}/"
    for length in sorted({3, len(name)}):
        part = quote(name[:length], safe="")
        yield from (f"{page}?q={part}" for page in ("/search/", "/players/", "/suggest/", "/contests/"))
        yield f"/suggest/?q={part}&kind=players"
        yield f"/suggest/?q={part}&kind=players&series=cup"
        yield f"/api/v1/players/?search={part}"
