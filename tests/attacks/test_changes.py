"""Changes in hidden series do not reveal them in lists, searches and names, even if every page was cached before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client

from contests.models import Community, Contest, Player, Series
from contests.services.communities import describe_community
from contests.services.contests import delete_contest, restore_contest
from contests.services.merging import merge_players, split_players
from contests.services.renaming import add_alias
from contests.services.series import describe_series
from tests.factories import make_community, make_contest, make_series, rate, roll_back

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

#: Addresses that are only about the series or its players: 404 for those who may not read it.
OWN = (
    "/c/club/series/cup/", "/c/club/series/cup/leaderboard/", "/c/club/series/cup/how/", "/c/club/series/cup/records/",
    "/c/club/series/cup/match/?a=zoltan&b=yuri", "/c/club/series/cup/opponents/?player=zoltan",
    "/c/club/series/cup/pairings/?players=zoltan,yuri", "/c/club/series/cup/teams.csv?players=zoltan,yuri",
    "/c/club/series/cup/distribution/", "/c/club/series/cup/results.atom", "/c/club/series/cup/contests.ics",
    "/c/club/series/cup/sitemap-contests.xml", "/c/club/series/cup/sitemap-players-1.xml",
    "/c/club/players/zoltan/", "/c/club/histories/zoltan/", "/c/club/cards/zoltan/", "/c/club/badges/zoltan/",
    "/c/club/widgets/zoltan/", "/contests/{contest}/", "/contests/{contest}/analysis/",
    "/contests/{contest}/standings.csv",
    "/contests/{contest}/why/zoltan/",
    "/api/v1/communities/club/series/cup/", "/api/v1/communities/club/series/cup/leaderboard/",
    "/api/v1/communities/club/series/cup/distribution/", "/api/v1/communities/club/series/cup/runs/",
    "/api/v1/communities/club/series/cup/changes/", "/api/v1/communities/club/players/zoltan/",
    "/api/v1/communities/club/players/zoltan/history/", "/api/v1/contests/{contest}/",
    "/api/v1/contests/{contest}/standings/", "/api/v1/contests/{contest}/rating-changes/", "/api/v1/players/{player}/",
    "/api/v1/players/{player}/history/", "/api/v1/compare/?community=club&players=zoltan,yuri",
    "/api/v1/communities/club/series/cup/match/?a=zoltan&b=yuri",
    "/api/v1/communities/club/series/cup/opponents/?player=zoltan",
    "/api/v1/communities/club/series/cup/pairings/?players=zoltan,yuri",
    "/api/v1/communities/club/series/cup/teams/?players=zoltan,yuri",
)  # fmt: skip
#: Lists and searches of the whole site: they say nothing about what is not listed.
LISTS = (
    "/", "/series/", "/contests/", "/contests/?q=Noctu", "/search/?q=zolt", "/search/?q=Noctu",
    "/players/?q=zolt", "/suggest/?q=zol", "/suggest/?q=Noct", "/feeds/results.atom", "/feeds/contests.ics",
    "/sitemap.xml", "/sitemap-series.xml", "/api/v1/series/", "/api/v1/contests/",
    "/api/v1/players/?search=zolt",
)  # fmt: skip
#: Maps for search engines list what lists of the site show.
LISTED_ONLY = ("/c/club/series/cup/sitemap-contests.xml", "/c/club/series/cup/sitemap-players-1.xml")
COMMUNITIES = ("/c/", "/api/v1/communities/")
MARKS = (b"Nocturne", b"zoltan", b"/c/club/series/cup/")


class Site:
    """A community with one rated series, and an anonymous visitor who requests its pages."""

    def __init__(self) -> None:
        make_community("club", name="Harbour Club")
        self.series = make_series("cup", community="club", name="Nocturne Cup")
        rows = [("zoltan", 1), ("yuri", 2), ("xenia", 3)]
        self.contest = make_contest(self.series, standings=rows, name="Nocturne final")
        make_contest(self.series, standings=rows[::-1], name="Nocturne coming", finalized=False, is_announced=True)
        rate(self.series)
        self.player = Player.objects.get(handle="zoltan")
        self.client = Client()

    def get(self, path: str) -> Any:
        return self.client.get(path.format(contest=self.contest.pk, player=self.player.pk))

    def check(self, state: str) -> None:
        """Check every address; `state` is "public", "unlisted" or "private"."""
        wrong = []
        for path in OWN:
            is_open = state == "public" or (state == "unlisted" and path not in LISTED_ONLY)
            answer = self.get(path)
            if answer.status_code != (200 if is_open else 404):
                wrong.append(f"{state}: {path} says {answer.status_code}")
            if not is_open and MARKS[0] in answer.content:
                wrong.append(f"{state}: {path} shows {MARKS[0]!r}")
        shown = {path: [mark for mark in MARKS if mark in self.get(path).content] for path in LISTS}
        wrong += [f"{state}: {path} shows {marks}" for path, marks in shown.items() if marks and state != "public"]
        if state == "public":
            wrong += [f"{path} shows nothing" for path, marks in shown.items() if not marks]
        is_listed = Community.objects.listed().filter(pk="club").exists()
        named = [path for path in COMMUNITIES if b"Harbour" in self.get(path).content]
        assert named == (list(COMMUNITIES) if is_listed else [])
        assert wrong == []


@pytest.fixture
def site() -> Site:
    make_contest(make_series("other"), standings=[("ann", 1), ("bob", 2)])
    return Site()


def of_series(*, public: bool) -> Callable[[Site], None]:
    def change(site: Site) -> None:
        series = Series.objects.get(pk=site.series.pk)
        describe_series(
            series.pk, name=series.name, description="", is_public=public, needs_approval=False, actor=None,
        )  # fmt: skip

    return change


def of_community(visibility: str) -> Callable[[Site], None]:
    def change(site: Site) -> None:
        describe_community("club", name="Harbour Club", description="", visibility=visibility)

    return change


def test_a_series_stays_private_whatever_becomes_of_its_community(site):
    of_series(public=False)(site)
    for visibility in ("private", "unlisted", "public"):
        of_community(visibility)(site)
        site.check("private")


@pytest.mark.parametrize("seen", ["private", "unlisted"])
def test_work_in_a_hidden_community_does_not_open_it(site, seen):
    site.check("public")
    of_community(seen)(site)
    second = make_contest(site.series, standings=[("yuri", 1), ("zoltan", 2)], name="Nocturne second")
    rate(site.series)
    site.check(seen)
    delete_contest(second.pk, reason="entered twice")
    rate(site.series)
    site.check(seen)
    restore_contest(second.pk, reason="not twice")
    rate(site.series)
    site.check(seen)
    roll_back(site.series.pk, 1, reason="back")
    site.check(seen)
    make_contest(site.series, standings=[("zoltan-2", 1), ("yuri", 2)], name="Nocturne third")
    merge = merge_players(site.player.pk, Player.objects.get(handle="zoltan-2").pk, reason="one person")
    rate(site.series)
    site.check(seen)
    split_players(merge.pk, reason="two after all")
    rate(site.series)
    site.check(seen)
    of_community("public")(site)
    assert site.get("/c/club/players/zoltan/").status_code == 200


def test_another_name_is_known_only_to_those_who_may_read_the_series_it_comes_from(site):
    """A public player takes part in a private series under another name, and is merged with someone from there."""
    secret = make_series("secret", community="club", is_public=False)
    make_contest(secret, standings=[("zoltan", 1), ("nightowl", 2)])
    before = {path: site.get(path).content for path in OWN}
    add_alias(site.player.pk, handle="Kelvin", series_id=secret.pk)
    other = make_contest(secret, standings=[("Midnight", 1), ("nightowl", 2)])
    merge_players(site.player.pk, Player.objects.get(handle="Midnight").pk, reason="one person")
    assert {path: site.get(path).content for path in OWN} == before
    for name, nobody in (("Kelvin", "Kelvon"), ("Midnight", "Midnoght")):
        for path in (
            "/c/club/players/{}/", "/c/club/cards/{}/", "/c/club/histories/{}/", "/api/v1/communities/club/players/{}/",
            "/search/?q={}", "/suggest/?q={}", "/players/?q={}", "/c/club/series/cup/leaderboard/?find={}",
            "/compare/?community=club&players={}", "/api/v1/compare/?community=club&players={}",
            f"/contests/{site.contest.pk}/?find={{}}", f"/contests/{site.contest.pk}/why/{{}}/",
            "/c/club/series/cup/distribution/?player={}", "/c/club/series/cup/what-if/?player={}",
        ):  # fmt: skip
            told, untold = site.get(path.format(name)), site.get(path.format(nobody))
            same = told.content.replace(name.encode(), b""), untold.content.replace(nobody.encode(), b"")
            assert (told.status_code, same[0].lower()) == (untold.status_code, same[1].lower()), path.format(name)
    merged = Player.objects.get(handle="Midnight")
    assert site.client.get(f"/api/v1/players/{merged.pk}/").status_code == 404
    # When the series becomes public, so do the names.
    describe_series(secret.pk, name="Secret", description="", is_public=True, needs_approval=False, actor=None)
    assert Contest.objects.get(pk=other.pk).series.is_public
    for name in ("Kelvin", "Midnight"):
        assert site.get(f"/c/club/players/{name}/").status_code == 301, name
        assert name in site.get("/c/club/players/zoltan/").content.decode()
    searches = (
        "/api/v1/communities/club/players/?search=midnight", "/search/?q=midnight",
        "/api/v1/communities/club/series/cup/leaderboard/?search=midnight",
    )  # fmt: skip
    for address in searches:
        assert "zoltan" in site.get(address).content.decode(), address
    # And no longer when it is private again.
    describe_series(secret.pk, name="Secret", description="", is_public=False, needs_approval=False, actor=None)
    for address in searches:
        assert "zoltan" not in site.get(address).content.decode(), address
    board = "/c/club/series/cup/leaderboard/?find="
    told, untold = (site.get(f"{board}{name}").content.decode() for name in ("midnight", "midnoght"))
    assert told.replace("midnight", "") == untold.replace("midnoght", "")
