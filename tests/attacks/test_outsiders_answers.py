"""The complete answer set of an outsider does not depend on private content: not a byte, a header or a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.attacks.crawling import crawl, guesses, queries_of
from tests.attacks.worlds import HIDDEN, MARK, SECRET, VAULT, Secrets, build_public_site
from web.public.contest import views as contest_views

if TYPE_CHECKING:
    from tests.attacks.crawling import Answer

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

NAMES = ["ann", "Dan-Brown", *SECRET[:4], "annie", "draft-only", "tourist", f"{MARK}-one", "nobody"]
SEEDS = list(
    guesses(
        NAMES,
        [("main", "cup"), ("quiet", "quiet-cup"), ("main", HIDDEN), (VAULT, HIDDEN), (VAULT, "cup"), ("no", "no")],
        ["main", "quiet", VAULT, "nowhere"],
    )
)


@pytest.fixture(autouse=True)
def _short_pages(monkeypatch: pytest.MonkeyPatch, settings) -> None:
    """Lists of several pages, so that they have cursors; as many requests as anyone likes."""
    monkeypatch.setattr(contest_views, "LIST_PAGE_SIZE", 3)
    monkeypatch.setattr("podium.throttling.AddressThrottle.get_rate", lambda throttle: None)
    build_public_site()


def differences(before: dict[str, Answer], after: dict[str, Answer]) -> list[str]:
    wrong = [f"new: {path}" for path in after.keys() - before.keys()]
    for path, (status, headers, content) in before.items():
        if path not in after:
            wrong.append(f"gone: {path}")
            continue
        now = after[path]
        if now[0] != status:
            wrong.append(f"{path}: {status} became {now[0]}")
        if now[2] != content:
            at = next((i for i, (a, b) in enumerate(zip(content, now[2], strict=False)) if a != b), -1)
            wrong.append(f"{path}: {content[max(0, at - 60) : at + 60]!r} became {now[2][max(0, at - 60) : at + 60]!r}")
        elif now[1] != headers:
            wrong.append(f"{path}: {set(now[1]) ^ set(headers)}")
    return wrong


@pytest.mark.parametrize("community", [VAULT, "main"])
def test_not_a_byte_differs(client, community):
    before = crawl(client, SEEDS)
    assert sum(answer[0] == 200 for answer in before.values()) > 300
    assert not [path for path, answer in before.items() if answer[0] >= 500]
    Secrets(1, community).build()
    assert differences(before, crawl(client, SEEDS)) == []


#: Addresses of every kind that could take longer to say no if there is something to hide.
TIMED = (
    "/", "/c/", "/contests/", "/search/?q=zoltan", "/suggest/?q=zol", "/players/?q=zoltan", f"/c/{VAULT}/",
    f"/c/{VAULT}/series/{HIDDEN}/", f"/c/main/series/{HIDDEN}/", "/c/main/players/zoltan/", "/c/main/cards/zoltan/",
    "/c/main/players/tourist/", "/feeds/results.atom", "/feeds/contests.ics", "/sitemap.xml",
    f"/api/v1/communities/{VAULT}/", f"/api/v1/communities/{VAULT}/series/{HIDDEN}/",
    "/api/v1/communities/main/players/zoltan/", "/api/v1/communities/main/players/tourist/",
    "/api/v1/players/?search=zoltan", "/api/v1/contests/",
)  # fmt: skip


@pytest.mark.parametrize("community", [VAULT, "main"])
def test_not_a_query_differs(client, community):
    before = queries_of(client, TIMED)
    Secrets(1, community).build()
    assert queries_of(client, TIMED) == before
