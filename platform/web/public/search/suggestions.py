"""
What a search box suggests while somebody types: bounded work, whatever the letters.

    GET /suggest/?q=tou&kind=players&series=codeforces

`kind` is "players" or "all" (contests and series too; "all" without it). `series` (a slug, optional) puts the players
who are rated in it first, the best before the rest; without it, those with the most contests come first. The answer:

    {"query": "tou",
     "announcement": "3 suggestions",
     "label": "Suggestions",
     "items": [{"kind": "player", "text": "tourist", "name": "Gennady Korotkevich", "url": "/players/tourist/",
                "rating": 3979, "series": "Codeforces", "alias": "", "country": "BY",
                "tier": {"name": "Nova", "symbol": "★", "light": "#92654b", "dark": "#fee431"}},
               {"kind": "contest", "text": "Round 900", "url": "/contests/7/", "kind_name": "Contest",
                "note": "Codeforces · 2 Dec 2023"},
               {"kind": "series", "text": "Codeforces", "url": "/series/codeforces/", "kind_name": "Series",
                "note": "14,665 players"}]}

At most eight items. `text` is what is put into the field. `alias` is the other handle by which somebody was found, or
empty; `rating` and `tier` are null for players without a rating, `note` says so then. Whose handle is exactly `q` comes
first, then those whose whole handle or name it is, then those of whose handle and name it begins words, the best known
first, then those of whose former handles it does, and those who have it within a handle or name. Case, accents and
punctuation do not count, nor does the order of words. `announcement` and `label`
are for screen readers, in the page's language. The answer depends on the cookie (private series, language) and may be
kept for a minute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from contests.folding import query_words, search_words
from contests.matching.search import has_words, ids_with_words, is_whole_name
from contests.models import Contest, Player, PlayerAlias
from contests.queries.visibility import visible_players, visible_series
from ratings.models import Rating, Run
from ratings.queries.search import beginning_with, find_contests, find_series, key_of, player_of
from ratings.queries.snapshot import snapshots_of
from ratings.queries.top_players import top_players
from web.shared.tags import points

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User
    from django.db.models import QuerySet

    from contests.models import Series
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.queries.top_players import TopPlayers

_Items = list[dict[str, Any]]

MOST = 8
#: Of "all": how many places contests and series get where there are players enough.
CONTESTS, SERIES = 2, 2
#: Up to so many whose names begin with the letters are put in order; of more, the best of the leaderboards.
CANDIDATES = 500
#: From so many letters on, handles and names are looked through for those that have them within words.
HELD = 3
#: Besides the best of the leaderboards, so many of the newest players are looked through for them.
NEWEST = 10_000


def suggestions(text: str, kind: str, series: Series | None, user: User | AnonymousUser) -> dict[str, Any]:
    """Return the answer that the module describes."""
    key = key_of(text)
    players = _players(text, key, series, user) if key else []
    is_all = kind == "all" and len(key) > 1
    items = _share_out(players, _series(text, user), _contests(text, user), key) if is_all else players
    words = ngettext("%(count)s suggestion", "%(count)s suggestions", len(items)) % {"count": len(items)}
    return {
        "query": text,
        "announcement": words if items else _("No suggestions"),
        "label": _("Suggestions"),
        "items": items,
    }


def _share_out(players: _Items, series: _Items, contests: _Items, key: str) -> _Items:
    """
    Return eight: series and contests keep their few places, players fill the rest, and what they leave is filled.

    Series whose names begin with the key are meant before players are, unless one is called exactly so.
    """
    kept = min(len(series), SERIES) + min(len(contests), CONTESTS)
    players = players[: MOST - kept]
    series = series[: max(SERIES, MOST - len(players) - min(len(contests), CONTESTS))]
    exact = [item for item in players[:1] if key_of(item["text"]) == key]
    first = [item for item in series if item["text"].casefold().startswith(key)]
    rest = [item for item in series if item not in first]
    return [*exact, *first, *players[len(exact) :], *rest, *contests][:MOST]


def _players(text: str, key: str, series: Series | None, user: User | AnonymousUser) -> _Items:
    listed, aliases = find_players(text, MOST, user, series)
    return _described(listed, aliases, series, user)


def find_players(
    text: str, most: int, user: User | AnonymousUser, series: Series | None = None
) -> tuple[list[Player], dict[int, str]]:
    """
    Return those whom the text may mean, the likeliest first, and by player id the former handles that led to some.

    First who is called exactly so or once was (within a series: and is rated in it), then those whose handles and names
    have words that begin with those of the text, whole names first, the best known first, then those of whose former
    handles this is so, then those who have the words within handle or name.
    """
    key, words = key_of(text), query_words(text)
    if not key:
        return [], {}
    pool = top_players(visible_series(user) if series is None else visible_series(user).filter(pk=series.pk))
    visible = visible_players(user)
    ids = _beginning(words, pool, most) if words else _of_signs(key)
    if words and len("".join(words)) >= HELD and len(ids) < most:
        ids += [pk for pk in pool.holding(words, most) if pk not in ids]
    exact = player_of(text)
    if exact is not None:
        ids = _with_exact(exact.pk, ids, series, most)
    found = visible.in_bulk(ids[: 3 * most])
    listed = [found[pk] for pk in ids if pk in found]
    former = _former(words, key, [player for player in listed if not _has(player, words, key)])
    # The best of the leaderboards are kept by run, and someone may be called otherwise since.
    listed = [one for one in listed if one.pk in former or _has(one, words, key) or _holds(one, words, key)]
    listed = _in_order(listed, former, words, exact)[:most]
    if len(listed) < most and len(key) >= HELD:
        listed += _holding(key, visible, listed, most)
    return listed, former


def _has(player: Player, words: list[str], key: str) -> bool:
    if not words:
        return player.handle_key.startswith(key)
    return has_words(words, player.handle, player.name)


def _holds(player: Player, words: list[str], key: str) -> bool:
    folded = " ".join(search_words(player.handle, player.name))
    return key in player.handle_key or (bool(words) and all(word in folded for word in words))


def _beginning(words: list[str], pool: TopPlayers, most: int) -> list[int]:
    """Return ids of players with words that begin with these, the best known first."""
    known = pool.beginning(words, 3 * most)
    candidates = ids_with_words(words, CANDIDATES + 1)
    if len(candidates) > CANDIDATES and len(known) == 3 * most:
        candidates = []
    elsewhere = [pk for pk in candidates if pk not in known]
    known |= pool.known(elsewhere) if elsewhere else {}
    return sorted({**known, **dict.fromkeys(candidates)}, key=lambda pk: (pk not in known, -known.get(pk, 0.0), pk))


def _of_signs(key: str) -> list[int]:
    """Return ids of players whose handles begin with signs that are no letters, such as emoji."""
    return list(beginning_with(Player.objects.existing(), key).values_list("pk", flat=True)[:CANDIDATES])


def _with_exact(exact: int, ids: list[int], series: Series | None, most: int) -> list[int]:
    is_meant = series is None or Rating.objects.filter(series=series, player=exact).exists()
    others = [pk for pk in ids if pk != exact]
    return [exact, *others] if is_meant else [*others[: most - 1], exact, *others[most - 1 :]]


def _in_order(listed: list[Player], former: dict[int, str], words: list[str], exact: Player | None) -> list[Player]:
    """Return the players, whole names before beginnings, these before former handles; otherwise as they are."""

    def place(player: Player) -> int:
        if player == exact:
            return 0
        if player.pk in former:
            return 3
        return 1 if is_whole_name(words, player.handle, player.name) else 2

    if exact is not None and listed and listed[0] != exact:
        return listed  # of a series in which who is called so is not rated
    return sorted(listed, key=place)


def _former(words: list[str], key: str, players: list[Player]) -> dict[int, str]:
    """Return former handles, and those of merged players, that the words or the key begin, by whose they are."""
    ids = [player.pk for player in players]
    found: dict[int, str] = {}
    if not ids:
        return found
    named = PlayerAlias.objects.filter(player__in=ids).order_by("handle_key").values_list("player", "handle")
    merged = Player.objects.filter(merged_into__in=ids).order_by("handle_key").values_list("merged_into", "handle")
    for pk, handle in [*named, *merged]:
        if (has_words(words, handle) if words else key_of(handle).startswith(key)) and pk is not None:
            found.setdefault(pk, handle)
    return found


def _holding(key: str, visible: QuerySet[Player], listed: list[Player], most: int) -> list[Player]:
    """Return players who have the key within handle or name, of the newest: reading stops after so many rows."""
    newest = Player.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    within = Q(handle_key__contains=key) | Q(name__icontains=key)
    ids = Player.objects.filter(within, pk__gt=newest - NEWEST).values_list("pk", flat=True)
    known = {player.pk for player in listed}
    found = visible.in_bulk([pk for pk in ids[: 3 * most] if pk not in known])
    return sorted(found.values(), key=lambda player: player.pk)[: most - len(listed)]


def _described(
    players: list[Player], aliases: dict[int, str], series: Series | None, user: User | AnonymousUser
) -> _Items:
    """Return the items of players, each with the rating in the series, or in the one of most contests."""
    ratings = Rating.objects.filter(player__in=players, series__in=visible_series(user)).select_related("series")
    best: dict[int, Rating] = {}
    for rating in ratings.defer("belief").order_by("contest_count", "-series"):
        kept = best.get(rating.player_id)
        if series is None or kept is None or kept.series_id != series.pk:
            best[rating.player_id] = rating
    snapshots = snapshots_of({rating.series for rating in best.values()})
    return [_player_item(player, best.get(player.pk), snapshots, aliases.get(player.pk, "")) for player in players]


def _player_item(
    player: Player, rating: Rating | None, snapshots: dict[int, SeriesSnapshot], alias: str
) -> dict[str, Any]:
    item = {
        "kind": "player",
        "text": player.handle,
        "name": player.name,
        "country": player.country,
        "alias": alias,
        "url": player.get_absolute_url(),
        "rating": None,
        "tier": None,
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
        "series": snapshot.series.name,
        "note": "",
    }


def _series(text: str, user: User | AnonymousUser) -> _Items:
    listed = list(find_series(text, visible_series(user))[:MOST])
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


def _contests(text: str, user: User | AnonymousUser) -> _Items:
    named = find_contests(text, Contest.objects.finalized().filter(series__in=visible_series(user)))
    return [
        {
            "kind": "contest",
            "kind_name": _("Contest"),
            "text": contest.name,
            "url": contest.get_absolute_url(),
            "note": f"{contest.series.name} · {_day(contest)}",
        }
        for contest in named.select_related("series")[:MOST]
    ]


def _day(contest: Contest) -> str:
    return date_format(localtime(contest.ends_at), pgettext("how a day is written", "j M Y"))
