"""The addresses of the site, from the resolver: one of every route for each kind of thing that it can be about."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

from django.urls import get_resolver, reverse
from django.utils.http import urlencode

from web.shared.params import SeriesPath

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Routes that say nothing about communities: the administration, which only staff enter, accounts, and descriptions.
_ELSEWHERE = ("admin/", "accounts/", "account/", "language/", "api/v1/schema/", "api/v1/docs/")
#: Routes whose pattern is a regular expression, with paths that fit it.
_BY_PATTERN = {
    "old-address": ("/series/{slug}/", "/players/{handle}/"),
    "old-organize-address": ("/organize/series/{slug}/",),
    "api:unknown": ("/api/v1/{slug}/",),
}
#: The kinds of things that numbers in addresses identify.
_NUMBERED = re.compile(
    r"(contests|people|players|pictures|merges|standings|invitations|members|organizers|tokens|reports)/<int:pk>"
)
_SAME = {"people": "players", "pictures": "players", "organizers": "members"}


@dataclass(frozen=True)
class Route:
    """A route with its name, its pattern and the names of its parameters."""

    name: str
    pattern: str
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class Things:
    """The subjects of addresses; `ids` has contests, players, …, and `pictures` the hash of each player's picture."""

    community: str
    slugs: Sequence[str] = ()
    handles: Sequence[str] = ()
    ids: dict[str, Sequence[int]] = field(default_factory=dict)
    schemes: Sequence[int] = ()
    tokens: Sequence[str] = ()
    logo: str = "0" * 16
    pictures: Sequence[str] = ()

    def values(self, route: Route, parameter: str) -> Sequence[Any]:
        """Return the values that a parameter of a route can have."""
        if parameter == "pk":
            kind = _NUMBERED.search(route.pattern)
            assert kind is not None, route.pattern
            return self.ids.get(_SAME.get(kind[1], kind[1]), ())
        if parameter == "digest" and route.name == "player-picture":
            return self.pictures
        return {
            "at": [SeriesPath(self.community, slug) for slug in self.slugs], "community": [self.community],
            "slug": self.slugs, "handle": self.handles, "number": [1], "digest": [self.logo], "size": [128],
            "token": self.tokens, "schemes": self.schemes, "colour": ["1a7f37"],
        }[parameter]  # fmt: skip


def routes() -> list[Route]:
    """Return the routes of pages and of the REST API."""
    return list(_routes(get_resolver(), "", ""))


def _routes(resolver: Any, prefix: str, namespace: str) -> Iterator[Route]:
    for part in resolver.url_patterns:
        pattern = prefix + str(part.pattern)
        if pattern.startswith(_ELSEWHERE):
            continue
        if hasattr(part, "url_patterns"):
            yield from _routes(part, pattern, f"{namespace}{part.namespace}:" if part.namespace else namespace)
        else:
            yield Route(namespace + part.name, pattern, tuple(part.pattern.converters))


def plain_addresses() -> Iterator[str]:
    """Yield the addresses that are about the whole site."""
    for route in routes():
        if not route.parameters and route.name not in _BY_PATTERN:
            yield reverse(route.name)


def addresses_about(things: Things) -> Iterator[str]:
    """Yield addresses of every route, so that each of the things is in one of them."""
    for route in routes():
        if route.name in _BY_PATTERN:
            for slug, handle in zip(things.slugs[:1], things.handles[:1], strict=False):
                yield from (pattern.format(slug=slug, handle=handle) for pattern in _BY_PATTERN[route.name])
        elif route.parameters:
            values = [things.values(route, parameter) for parameter in route.parameters]
            if all(values):
                most = max(map(len, values))
                for chosen in zip(*(islice(cycle(each), most) for each in values), strict=True):
                    yield reverse(route.name, kwargs=dict(zip(route.parameters, chosen, strict=True)))


def searches(text: str, *, community: str, slug: str, contest: int) -> Iterator[str]:
    """Yield the addresses that search for a text or complete it: on the site and in a community, series or contest."""
    series, at = f"{community}/{slug}", [SeriesPath(community, slug)]
    asked: list[tuple[str, dict[str, Any], dict[str, str]]] = [
        *((name, {}, {"q": text}) for name in ("search", "suggest", "players", "contests", "organize:home")),
        ("suggest", {}, {"q": text[:3]}),
        ("suggest", {}, {"q": text, "kind": "players", "series": series}),
        ("suggest", {}, {"q": text, "kind": "players", "community": community}),
        ("players", {}, {"q": text, "community": community}),
        ("contests", {}, {"q": text, "series": series}),
        ("compare", {}, {"community": community, "series": series, "players": f"{text},ann"}),
        ("community-players", {"community": community}, {"q": text}),
        *(("leaderboard", {"at": at[0]}, {key: text}) for key in ("q", "find")),
        *((name, {"at": at[0]}, {"player": text}) for name in ("what-if", "distribution", "opponents")),
        ("match", {"at": at[0]}, {"a": text, "b": "ann"}),
        *((name, {"at": at[0]}, {"players": f"{text}\nann\nbob"}) for name in ("pairings", "teams-csv")),
        ("contest", {"pk": contest}, {"find": text}),
        ("why", {"pk": contest, "handle": text}, {}),
        ("organize:people", {"at": at[0]}, {"q": text}),
        ("api:players", {}, {"search": text}),
        ("api:community-players", {"community": community}, {"search": text}),
        ("api:leaderboard", {"community": community, "slug": slug}, {"search": text}),
        ("api:contests", {}, {"search": text, "series": series}),
        ("api:match", {"community": community, "slug": slug}, {"a": text, "b": "ann"}),
        ("api:opponents", {"community": community, "slug": slug}, {"player": text}),
        ("api:pairings", {"community": community, "slug": slug}, {"players": f"{text},ann,bob"}),
        ("api:compare", {}, {"community": community, "players": f"{text},ann"}),
    ]
    for name, arguments, query in asked:
        yield reverse(name, kwargs=arguments) + (f"?{urlencode(query)}" if query else "")
