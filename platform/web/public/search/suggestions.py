"""
Suggestions of a search box while someone types, with bounded work for any input.

    GET /suggest/?q=tou&kind=players&series=codeforces

`kind` is "players" or "all" (contests, series and communities too; "all" without it). `series` ([COMMUNITY/]SLUG,
optional) limits players to its community and puts those who are rated in it first, best first; without it, players with
the most contests come first. `community` (optional) limits players to a community. The response:

    {"query": "tou",
     "announcement": "3 suggestions",
     "label": "Suggestions",
     "items": [{"kind": "player", "text": "tourist", "name": "Gennady Korotkevich", "url": "/c/main/players/tourist/",
                "first": "Gennady Korotkevich", "second": "tourist", "rating": 3979, "series": "Codeforces",
                "line": "5.0,51.0 295.0,5.0", "alias": "", "country": "BY", "flag": "/static/vendor/flags/by.svg",
                "picture": "/c/main/pictures/7-1f8a5cd0b3e4f296.webp", "initials": "GK", "community": "",
                "tier": {"name": "Nova", "symbol": "★", "light": "#92654b", "dark": "#fee431"}},
               {"kind": "contest", "text": "Round 900", "url": "/contests/7/", "kind_name": "Contest",
                "note": "Codeforces · 2 Dec 2023"},
               {"kind": "series", "text": "Codeforces", "url": "/c/main/series/codeforces/", "kind_name": "Series",
                "note": "14,665 players"}]}

There are at most eight items. `text` goes into the field; `first` and `second` are shown. `line` has the points of a
small graph of the newest ratings, in a box of 300 by 56. `alias` is the other handle that matched, or empty; `rating`
and `tier` are null for players without a rating, and `note` says so. `picture` is empty for players without one; if
others in the response have one, the page shows the `initials`. `community` is the name of the player's community if the
response has players of several, else empty. Players are in this order: handle equal to `q`, whole handle or name equal
to it apart from case, accents and punctuation, words of the handle or name that begin with it (names with the whole
words first, then the best known), former handles likewise, handles or names that contain it, and similar ones if there
are few. Similar names of contests, series and communities, and those with only some of the words, are suggested only if
no name has the text as typed. The order of words does not matter. `announcement` and `label` are for screen readers, in
the page's language. The response depends on the cookie (private series, language) and may be cached for a minute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Count
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from contests.handles import lookup_key
from contests.queries.communities import names_if_several
from contests.queries.visibility import listed_series, visible_series
from contests.wording import day_in_words
from ratings.models import Rating, Run
from ratings.queries.search import find_players
from ratings.queries.snapshot import snapshots_of
from ratings.queries.sparklines import newest_ratings
from ratings.queries.titles import find_on_site
from web.shared.drawings import sparkline
from web.shared.flags import flag_address
from web.shared.names import first_name, initials_of, second_name
from web.shared.numbers import points

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

    from contests.models import Community, Contest, Player, Series
    from ratings.queries.snapshot import SeriesSnapshot

_Items = list[dict[str, Any]]

MOST = 8
#: Items for contests and for series in "all", if there are enough players for the rest.
CONTESTS, SERIES = 2, 2


def suggestions(
    text: str, kind: str, series: Series | None, user: User | AnonymousUser, community: str = ""
) -> dict[str, Any]:
    """Return the response that the module describes."""
    key = lookup_key(text)
    if kind == "all" and len(key) > 1:
        found, titles = find_on_site(text, user, MOST, ranked=series, community=community)
        named = [*_series(titles.series), *_communities(titles.communities, user)]
        items = _described(found.players, found.former, series, user)
        items = _share_out(items, named, _contests(titles.contests), key)
    else:
        found = find_players(text, MOST, user, series, community=community)
        items = _described(found.players, found.former, series, user)
    words = ngettext("%(count)s suggestion", "%(count)s suggestions", len(items)) % {"count": len(items)}
    return {
        "query": text,
        "announcement": words if items else _("No suggestions"),
        "label": _("Suggestions"),
        "items": items,
    }


def _share_out(players: _Items, series: _Items, contests: _Items, key: str) -> _Items:
    """
    Return up to eight items: a few places for series and contests, players in the rest, and series in free places.

    Communities count as series. Those whose names begin with the key come before players, except a player whose handle
    is the key.
    """
    kept = min(len(series), SERIES) + min(len(contests), CONTESTS)
    players = players[: MOST - kept]
    series = series[: max(SERIES, MOST - len(players) - min(len(contests), CONTESTS))]
    exact = [item for item in players[:1] if lookup_key(item["text"]) == key]
    first = [item for item in series if item["text"].casefold().startswith(key)]
    rest = [item for item in series if item not in first]
    return [*exact, *first, *players[len(exact) :], *rest, *contests][:MOST]


def _described(
    players: list[Player], aliases: dict[int, str], series: Series | None, user: User | AnonymousUser
) -> _Items:
    """Return the items of players, each with the rating in the series, else in the one with the most contests."""
    ratings = Rating.objects.filter(player__in=players, series__in=visible_series(user)).select_related("series")
    best: dict[int, Rating] = {}
    for rating in ratings.defer("belief").order_by("contest_count", "-series"):
        kept = best.get(rating.player_id)
        if series is None or kept is None or kept.series_id != series.pk:
            best[rating.player_id] = rating
    snapshots = snapshots_of({rating.series for rating in best.values()})
    lines = newest_ratings((snapshots[rating.series_id], rating) for rating in best.values())
    slugs = {player.community_id for player in players}
    names = names_if_several(slugs) if len(slugs) > 1 else {}
    return [
        _player_item(player, best.get(player.pk), snapshots, lines)
        | {"alias": aliases.get(player.pk, ""), "community": names.get(player.community_id, "")}
        for player in players
    ]


def _player_item(
    player: Player, rating: Rating | None, snapshots: dict[int, SeriesSnapshot], lines: dict[int, list[int]]
) -> dict[str, Any]:
    item = {
        "kind": "player",
        "text": player.handle,
        "name": player.name,
        "first": first_name(player),
        "second": second_name(player),
        "country": player.country,
        "flag": flag_address(player.country),
        "picture": player.picture_address,
        "initials": initials_of(player.name or player.handle),
        "url": player.get_absolute_url(),
        "rating": None,
        "tier": None,
        "line": "",
        "note": _("unrated"),
    }
    if rating is None:
        return item
    snapshot = snapshots[rating.series_id]
    number = snapshot.rating(rating.score)
    tier = snapshot.tier(number)
    return item | {
        "rating": number,
        "tier": {"name": tier.name, "symbol": tier.symbol, "light": tier.colour_light, "dark": tier.colour_dark},
        "line": sparkline(lines.get(rating.pk, [])),
        "series": snapshot.series.name,
        "note": "",
    }


def _series(listed: list[Series]) -> _Items:
    counts = dict(Run.objects.newest_of([one.pk for one in listed]).values_list("series", "player_count"))
    words = {
        pk: ngettext("%(count)s player", "%(count)s players", n) % {"count": points(n)} for pk, n in counts.items()
    }
    return [
        {
            "kind": "series",
            "kind_name": pgettext("one series", "Series"),
            "text": one.name,
            "url": one.get_absolute_url(),
            "note": words.get(one.pk, _("unrated")),
        }
        for one in listed
    ]


def _communities(listed: list[Community], user: User | AnonymousUser) -> _Items:
    """Return the items of communities, each with its number of series."""
    shown = listed_series(user).filter(community__in=listed).order_by().values_list("community")
    counts = dict(shown.annotate(count=Count("pk"))) if listed else {}
    return [
        {
            "kind": "community",
            "kind_name": _("Community"),
            "text": one.name,
            "url": one.get_absolute_url(),
            "note": ngettext("%(count)s series", "%(count)s series", count) % {"count": points(count)},
        }
        for one in listed
        for count in [counts.get(one.pk, 0)]
    ]


def _contests(listed: list[Contest]) -> _Items:
    return [
        {
            "kind": "contest",
            "kind_name": _("Contest"),
            "text": contest.name,
            "url": contest.get_absolute_url(),
            "note": f"{contest.series.name} · {_day(contest)}",
        }
        for contest in listed
    ]


def _day(contest: Contest) -> str:
    return day_in_words(localtime(contest.ends_at))
