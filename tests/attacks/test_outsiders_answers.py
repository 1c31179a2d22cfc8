"""Private content does not change what outsiders get: not a byte, a header or the number of queries."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import Phase, example, given, settings
from rest_framework.throttling import SimpleRateThrottle

from accounts.tokens import create_token
from podium.caching import TolerantRedisCache
from tests.attacks.crawling import answer_of, ask, differences, forget_cached, queries_of
from tests.attacks.routes import addresses_about, plain_addresses, searches
from tests.attacks.worlds import MARK, Plan, Secrets, Site, build_site, full_plan, plans, sheet, things_of
from tests.web.organize.everything import undone
from tests.web.organize.forms import SERIES
from web.public.contest import views as contest_views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.contrib.auth.models import User

    from tests.attacks.crawling import Answer
    from tests.attacks.routes import Things

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

#: What outsiders look for: private names, the beginning of one, and names that public players have or had.
SOUGHT = ("zoltan", MARK, "annie")
#: Numbers of things that the forms make: they are counted over the whole site (docs/decisions/0017-communities.md).
_NUMBERS = re.compile(
    rb"(?<=/contests/)\d+|(?<=/people/)\d+|(?<=/tiers/)\d+|(?<=/review/)[0-9a-f]{32}|(?<=player-)\d+|(?<=tier-)\d+"
    rb"|(?<=name=\"stamp\" value=\")[0-9a-f]{24}|(?<=change=)[^\"&]+|\d\d:\d\d(?::\d\d)?"
)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Site:
    """The public site, with lists of several pages and no limit on requests."""
    monkeypatch.setattr(contest_views, "LIST_PAGE_SIZE", 3)
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    monkeypatch.setattr(SimpleRateThrottle, "get_rate", lambda throttle: None)
    # Part of every proposed change; a random one could even change how far its token can be compressed.
    monkeypatch.setattr("contests.changes.base.secrets", SimpleNamespace(token_urlsafe=lambda size: "x" * size))
    return build_site()


def browser(user: User | None = None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


class Outsiders:
    """Everyone who knows nothing of the private content, and what they get without it."""

    def __init__(self, site: Site) -> None:
        contest, own_contest = (series.contests.finalized().order_by("pk")[0].pk for series in (site.cup, site.own))
        things, own = site.things(), site.own_things()
        public = [path for each in things for path in addresses_about(each)]
        self.paths = {
            "a visitor": [
                *plain_addresses(), *(path for path in public if not path.startswith("/organize/")),
                *(path for text in SOUGHT for path in searches(text, community="main", slug="cup", contest=contest)),
            ],
            "eve": [
                *plain_addresses(), *addresses_about(things_of("main", ("cup",), ("ann",), contests=1)),
                *addresses_about(own),
                *searches("zoltan", community="main", slug="cup", contest=contest),
                *searches("annie", community="eves", slug="own", contest=own_contest),
                *(f"/organize/people/{own.ids['players'][0]}/merge/?with={text}" for text in SOUGHT),
            ],
        }  # fmt: skip
        self.paths["a program"] = [path for path in self.paths["a visitor"] if path.startswith("/api/")]
        token = create_token(site.own.community_id, name="Website", lifetime=timedelta(days=1))[1]
        program = Client(headers={"Authorization": f"Bearer {token}"})
        # The program comes first, because the page of eve's tokens shows that its token has been used.
        self.clients = {"a program": program, "a visitor": browser(), "eve": browser(site.eve)}
        self.clients["eve"].get("/organize/")  # which lets the browser remember the account
        self.before = self.ask()

    def ask(self) -> dict[str, dict[str, Answer]]:
        return {name: ask(client, self.paths[name]) for name, client in self.clients.items()}

    def ask_about(self, things: list[Things]) -> dict[str, dict[str, Answer]]:
        paths = [path for each in things for path in addresses_about(each)]
        return {name: ask(client, paths) for name, client in self.clients.items()}


def test_not_a_byte_differs(site):
    outsiders = Outsiders(site)
    insider = browser(site.ida)
    for answers in outsiders.before.values():
        assert not [path for path, answer in answers.items() if answer[0] >= 500]
    assert sum(answer[0] == 200 for answer in outsiders.before["eve"].values()) >= 200

    @example(own=full_plan(is_own=True), inner=full_plan(is_own=False))
    @given(own=plans(is_own=True), inner=plans(is_own=False))
    # A generated plan takes half a minute, and the first ones are empty: only --hypothesis-profile=thorough runs them.
    @settings(phases=list(Phase) if settings.get_current_profile_name() == "thorough" else [Phase.explicit])
    def check(own: Plan, inner: Plan) -> None:
        forget_cached()
        with undone():
            things = [Secrets(plan, site).build().things() for plan in (own, inner)]
            # A member first, so that everything private is cached when the outsiders come.
            ask(insider, [path for each in things for path in addresses_about(each)])
            after, guessed = outsiders.ask(), outsiders.ask_about(things)
        forget_cached()
        unknown = outsiders.ask_about(things)
        for name, before in outsiders.before.items():
            wrong = differences(before, after[name]) + differences(unknown[name], guessed[name])
            assert not wrong, "\n".join([name, *wrong])

    check()


def forms(site: Site, things: list[Things]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield a name, the address and the fields of forms whose answers could reveal the names of private things."""
    community, own = things[0].community, site.own_things()
    player, at = own.ids["players"][0], "/organize/c/eves/series/own"
    for visibility in ("public", "private"):
        said = {"name": "Mine", "visibility": visibility, "ending": "abcdefghjk"}
        yield f"{visibility} community", "/organize/communities/new/", said | {"slug": "vault"}
    for slug in ("hidden-cup", "cup"):
        yield f"series {slug}", "/organize/new/", SERIES | {"community": "eves", "slug": slug}
        yield f"{slug} in a private community", "/organize/new/", SERIES | {"community": community, "slug": slug}
    for name in ("bobby", "nils", f"{MARK}-0"):
        yield f"rename to {name}", f"/organize/people/{player}/rename/", {"handle": name, "reason": "x"}
        yield f"other name {name}", f"/organize/people/{player}/names/", {"handle": name, "reason": "x"}
        yield f"merge with {name}", f"/organize/people/{player}/merge/", {"with": name, "reason": "x"}
    for name in ("ida", "nobody"):
        yield f"organizer {name}", f"{at}/organizers/", {"username": name}
        yield f"log in as {name}", "/accounts/login/", {"login": name, "password": "wrong"}
        yield f"reset {name}", "/accounts/password/reset/", {"email": f"{name}@example.org"}
        account = {"username": f"{name}2", "email": f"{name}@example.org", "password1": "quay-and-7"}
        yield f"sign up {name}", "/accounts/signup/", account | {"password2": "quay-and-7"}
    file = SimpleUploadedFile("x.csv", sheet(("zoltan", "bobby", "ann", "nils", f"{MARK}-0", "hidden")))
    yield "upload", f"/organize/contests/{site.draft.pk}/upload/", {"file": file}


def submit(site: Site, things: list[Things]) -> dict[str, Answer]:
    """Return the answers of the pages to which all forms lead, and of forms about these things; store nothing."""
    answers = {}
    for name, path, said in forms(site, things):
        forget_cached()
        with undone():
            client = browser(None if path.startswith("/accounts/") else site.eve)
            status, headers, content = answer_of(client.post(path, said, follow=True))
            answers[name] = (status, headers, _NUMBERS.sub(b"", content))
        file = said.get("file")
        if file is not None:
            file.seek(0)
    for each, client in (("a visitor", browser()), ("eve", browser(site.eve))):
        for path in (path for one in things for path in addresses_about(one)):
            forget_cached()
            answers[f"{each}: {path}"] = answer_of(client.post(path, {"name": "x", "handle": "x", "reason": "x"}))
    return answers


def test_no_form_gives_a_different_answer(site):
    with undone():
        things = [Secrets(full_plan(is_own=is_own), site).build().things() for is_own in (True, False)]
        told = submit(site, things)
    untold = submit(site, things)
    assert len(untold) > 200
    wrong = differences(untold, told)
    assert not wrong, "\n".join(wrong)
    # Nor do forms reveal whether there is an account, except by its user name, which is unique on the site.
    for form in ("reset", "sign up", "log in as"):
        known, unknown = (untold[f"{form} {name}"][2].replace(name.encode(), b"") for name in ("ida", "nobody"))
        assert known == unknown, form


#: Addresses of every kind that could take longer to say no if there is something to hide.
TIMED = (
    "/", "/c/", "/contests/", "/search/?q=zoltan", "/suggest/?q=zol", "/players/?q=zoltan", "/c/main/series/",
    "/c/main/players/?q=zoltan", "/c/main/series/hidden-cup/", "/c/main/players/bobby/", "/c/main/cards/bobby/",
    "/c/main/players/tourist/", "/feeds/results.atom", "/feeds/contests.ics", "/sitemap.xml", "/tiers/99.css",
    "/api/v1/communities/main/series/hidden-cup/", "/api/v1/communities/main/players/bobby/",
    "/api/v1/communities/main/players/tourist/", "/api/v1/players/?search=zoltan", "/api/v1/contests/",
    "/api/v1/communities/",
)  # fmt: skip


def test_not_a_query_differs(site):
    """A cheap substitute for measuring time: the same number of queries whether or not something is left out."""
    own = (
        *TIMED, "/organize/", "/organize/c/eves/", "/organize/c/eves/series/own/people/?q=zoltan",
        f"/organize/people/{site.own_things().ids['players'][0]}/merge/?with=bobby",
    )  # fmt: skip
    visitor, eve = browser(), browser(site.eve)
    visitor.get("/search/?q=zoltan")  # the first search asks once whether the database has the index of similar words
    before = queries_of(visitor, TIMED) | {f"eve: {path}": count for path, count in queries_of(eve, own).items()}
    with undone():
        things = [Secrets(full_plan(is_own=is_own), site).build().things() for is_own in (True, False)]
        hidden = [path for each in things for path in addresses_about(each)]
        after = queries_of(visitor, TIMED) | {f"eve: {path}": count for path, count in queries_of(eve, own).items()}
        guessed = [queries_of(client, hidden) for client in (visitor, eve)]
    assert sorted(after.items() - before.items()) == []
    for known, client in zip(guessed, (visitor, eve), strict=True):
        wrong = sorted(known.items() - queries_of(client, hidden).items())
        assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.postgres_only
def test_no_cache_in_redis_mixes_the_answers_of_members_and_outsiders(site):
    """Members come first in the first test. Here outsiders come first, and members must not get their answers."""
    assert isinstance(caches["default"], TolerantRedisCache)
    things = [Secrets(full_plan(is_own=is_own), site).build().things() for is_own in (True, False)]
    about = [path for each in things for path in addresses_about(each)]
    paths = [path for path in (*plain_addresses(), *about) if not path.startswith("/organize/")]
    insider, visitor = browser(site.ida), browser()
    insider.get("/games/")  # the first page of an account sets a cookie
    forget_cached()
    cold, untold = ask(insider, paths), ask(visitor, paths)
    assert sum(MARK.encode() in content for _, _, content in cold.values()) > 50
    forget_cached()
    assert differences(untold, ask(visitor, paths)) == []
    assert differences(cold, ask(insider, paths)) == []
