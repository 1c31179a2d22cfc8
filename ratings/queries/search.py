"""Search for players, with bounded work for any query."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from django.db import connection
from django.db.models import Q

from contests.handles import lookup_key, query_words, search_words
from contests.matching.known_words import Spellings, allowed_edits, edits, players_with_similar_words
from contests.matching.name_index import (
    count_whole_words,
    first_with_words,
    has_words,
    ids_with_words,
    is_whole_name,
    only_players_with_names,
)
from contests.models import Player, PlayerAlias, Series
from contests.queries.names import find_visible_player, merged_handles, visible_aliases
from contests.queries.visibility import (
    listed_players,
    listed_series,
    players_with_results,
    visible_players,
    visible_series,
)
from ratings.models import Rating
from ratings.queries.top_players import top_players, top_players_of_site

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.contrib.auth.models import AnonymousUser, User
    from django.db.models import QuerySet

    from ratings.queries.top_players import TopPlayers


Named = TypeVar("Named", "Player", "PlayerAlias")

#: The number of candidates compared letter by letter with an unknown handle.
COMPARED_HANDLES = 200
#: A handle with at least this similarity (0 to 1) is taken for the intended one.
CLEAR_MATCH = 0.85
#: Above this number of matching players, only the top players of the leaderboards are listed.
CANDIDATES = 500
#: A search text of at least this many letters is also found inside words.
LETTERS_INSIDE = 3
#: A typed word of fewer letters may be an initial, so it doesn't count as a whole word.
SHORTEST_WORD = 2
#: For letters inside words, the newest players are searched in addition to the top players of the leaderboards.
NEWEST_PLAYERS = 10_000
#: Misspelt names are only searched if fewer players than this match the text as typed.
FEW_MATCHES = 2
#: The greatest number of players with exactly the same handle, in different communities, that a search lists first.
MOST_NAMESAKES = 8
#: Separators between the words of a handle or name.
_BETWEEN = re.compile(r"[\W_]+")


def player_of(community: str, handle: str, user: User | AnonymousUser) -> Player | None:
    """
    Return the player of a community with this handle or alias, regardless of case; None if missing or hidden.

    For a merged player, return the one they were merged into.
    """
    return find_visible_player(community, handle, user) if lookup_key(handle) else None


def player_named(community: str, text: str, user: User | AnonymousUser) -> Player | None:
    """
    Return the player of a community whom a visitor means by a text: a handle or alias, or else a real name.

    None if several players that the visitor may see share that real name.
    """
    player = player_of(community, text, user)
    if player is not None or not lookup_key(text):
        return player
    return only_players_with_names([text], visible_players(user), community).get(text)


def players_called(text: str, players: QuerySet[Player], user: User | AnonymousUser) -> list[Player]:
    """Return those of the players whose handle, alias or merged player's handle is the text, one for each community."""
    key = lookup_key(text)
    if not key:
        return []
    candidates = players.filter(merged_players__handle_key=key).order_by("pk").values_list("pk", flat=True)
    handles = merged_handles(candidates[:MOST_NAMESAKES], user)
    merged = [pk for pk, handle in handles if lookup_key(handle) == key]
    aliases = visible_aliases(user).filter(handle_key=key).values("player")
    ways = (Q(handle_key=key), Q(pk__in=merged), Q(pk__in=aliases))
    return list({one.pk: one for way in ways for one in players.filter(way).order_by("pk")[:MOST_NAMESAKES]}.values())


def beginning_with(rows: QuerySet[Named], key: str) -> QuerySet[Named]:
    """Filter players or aliases by the beginning of their handle, using an index."""
    found = rows.filter(handle_key__startswith=key)
    if connection.vendor == "sqlite":
        # LIKE ignores case in SQLite and so uses no index. Its sort order is that of code points.
        return found.filter(handle_key__gte=key, handle_key__lt=f"{key}\U0010ffff")
    return found


def nearest_players(handle: str, players: QuerySet[Player], most: int = 8, *, with_words: bool = True) -> list[Player]:
    """
    Return the players whom an unknown handle probably means.

    Players whose handle or name has its words come first, as in suggestions. Players with similar handles follow, the
    most similar first; if someone has the words, only handles that differ little follow.

    with_words
        False if a search for the words has found no one.
    """
    key = lookup_key(handle)
    if not key:
        return []
    worded = _with_words(handle, key, players, most) if with_words else []
    candidates = {player.pk: player for player in _with_similar_beginning(key, players)}
    likeness = {pk: SequenceMatcher(None, key, player.handle_key).ratio() for pk, player in candidates.items()}
    alike = sorted(candidates.values(), key=lambda player: -likeness[player.pk])
    if worded:
        close = [player for player in alike if likeness[player.pk] >= CLEAR_MATCH]
        return list(dict.fromkeys([*worded, *close]))[:most]
    if alike and likeness[alike[0].pk] >= CLEAR_MATCH:
        return alike[:most]
    # Handles that differ in their first letters are only found among the top players of the leaderboards.
    ids = top_players_of_site(Series.objects.listed()).alike(key, most)
    similar = players.in_bulk(ids)
    return list(dict.fromkeys([*(similar[pk] for pk in ids if pk in similar), *alike]))[:most]


def _with_words(handle: str, key: str, players: QuerySet[Player], most: int) -> list[Player]:
    """Return the players whose handle or name has the words of a text, most similar first."""
    asked = _Asked(key, query_words(handle))
    # The index also has names that not everyone may know.
    found = [player for player in first_with_words(players, handle, most=COMPARED_HANDLES) if asked.begins(player)]
    return sorted(found, key=lambda player: -_likeness(key, player))[:most]


def _with_similar_beginning(key: str, players: QuerySet[Player]) -> QuerySet[Player]:
    """Return players who share the beginning of a key, trying its first two thirds, three letters and two letters."""
    for length in (max(2, len(key) * 2 // 3), 3, 2):
        alike = beginning_with(players, key[:length]).order_by("handle_key")[:COMPARED_HANDLES]
        if alike:
            return alike
    return players.none()


class Found(NamedTuple):
    """
    The players who match a text, best match first.

    former
        The former handles that matched, by player id.
    similar
        The ids of players whose names only resemble the text.
    joined
        The ids of those among them whose names resemble only the words of the text without the spaces between them.
    """

    players: list[Player]
    former: dict[int, str]
    similar: frozenset[int] = frozenset()
    joined: frozenset[int] = frozenset()

    @property
    def has_typed(self) -> bool:
        """Whether some name matches the text as it was typed."""
        return any(player.pk not in self.similar for player in self.players)

    @property
    def has_each_word(self) -> bool:
        """Whether some name has each word of the text, or a similar one."""
        return any(player.pk not in self.joined for player in self.players)

    @property
    def has_only_similar(self) -> bool:
        """Whether there are players, but no name matches the text as it was typed."""
        return bool(self.players) and not self.has_typed


def find_players(
    text: str,
    most: int,
    user: User | AnonymousUser,
    series: Series | None = None,
    *,
    community: str = "",
    spellings: Spellings | None = None,
    with_similar: bool = True,
) -> Found:
    """
    Return the players who match a text, best match first.

    Players are those of the community of the series, of the given community, or those that site-wide lists show.
    The order is: the player with exactly this current or former handle (in a series, only if rated in it); players
    whose handle or name has words that begin with those of the text: complete names first, then names with more whole
    words of the text, then the best known; players whose former handles match; players who have the text inside words
    of their handle or name. If there are only few, players whose names are similar follow, those with the fewest edits
    and then the best known first.

    spellings
        Similar words already looked up, if the same text is also searched for among titles.
    with_similar
        Whether to look for players with similar names, too.
    """
    asked = _Asked(lookup_key(text), query_words(text))
    if not asked.key:
        return Found([], {})
    largest = top_players
    if series is not None:
        ranked = visible_series(user).filter(pk=series.pk)
        visible = players_with_results(user).filter(community=series.community_id)
    elif community:
        ranked = visible_series(user).filter(community=community)
        visible = players_with_results(user).filter(community=community)
    else:
        ranked, visible, largest = listed_series(user), listed_players(user), top_players_of_site
    exact = players_called(text, visible, user)
    pool = largest(ranked)
    ids = list(dict.fromkeys([*(player.pk for player in exact), *_candidates(asked, pool, visible, most)]))
    found = visible.in_bulk(ids)
    listed = [found[pk] for pk in ids if pk in found]
    former = _former(asked, [player for player in listed if not asked.begins(player)], user)
    # Top players are cached per run, so their names may have changed since.
    listed = [one for one in listed if one.pk in former or asked.begins(one) or asked.is_within(one)]
    listed = _in_order(listed, former, asked.words, exact, series, most)[:most]
    if len(listed) < most and len(asked.key) >= LETTERS_INSIDE:
        listed += _containing(asked.key, visible, listed, most)
    is_named = len(asked.words) > 1 and any(is_whole_name(asked.words, one.handle, one.name) for one in listed)
    is_enough = is_named or len(listed) >= FEW_MATCHES or not with_similar
    similar = [] if is_enough else _similar(asked, pool, visible, listed, most, spellings or Spellings())
    former |= _former_like(asked, similar, user)
    joined = [one.pk for one in similar if not asked.has_similar_words(one.handle, one.name, former.get(one.pk, ""))]
    return Found(listed + similar, former, frozenset(player.pk for player in similar), frozenset(joined))


@dataclass(frozen=True, slots=True)
class _Asked:
    """The search text as a key and as words. There are no words if it consists of symbols such as emoji."""

    key: str
    words: list[str]

    def begins(self, player: Player) -> bool:
        """Return whether the handle, or words of handle and name, begin with the text."""
        if not self.words:
            return player.handle_key.startswith(self.key)
        return has_words(self.words, player.handle, player.name)

    def is_within(self, player: Player) -> bool:
        """Return whether the handle or name contains the text anywhere."""
        folded = " ".join(search_words(player.handle, player.name))
        return self.key in player.handle_key or (bool(self.words) and all(word in folded for word in self.words))

    def is_handle(self, handle: str) -> bool:
        """Return whether a former handle begins with the text."""
        return has_words(self.words, handle) if self.words else lookup_key(handle).startswith(self.key)

    def is_like(self, handle: str, name: str = "") -> bool:
        """Return whether each word of the text is similar to a word of the handle or name, or all of them to one."""
        own = search_words(handle, name)
        return _are_like(self.words, own) or _are_like(["".join(self.words)], own)

    def has_similar_words(self, *names: str) -> bool:
        """Return whether each word of the text is similar to a word of these names."""
        return _are_like(self.words, [word for name in names for word in search_words(name)])


def _are_like(words: Sequence[str], own: Sequence[str]) -> bool:
    return all(any(edits(word, other) <= allowed_edits(word) for other in own) for word in words)


def _candidates(asked: _Asked, pool: TopPlayers, visible: QuerySet[Player], most: int) -> list[int]:
    """Return the ids of players who may match, best match first."""
    if not asked.words:
        return list(beginning_with(visible, asked.key).values_list("pk", flat=True)[:CANDIDATES])
    ids = _beginning(asked.words, pool, visible, most)
    if len("".join(asked.words)) >= LETTERS_INSIDE and len(ids) < most:
        ids += [pk for pk in pool.containing(asked.words, most) if pk not in ids]
    return ids


def _beginning(words: list[str], pool: TopPlayers, visible: QuerySet[Player], most: int) -> list[int]:
    """Return the ids of players with words that begin with these, best known first."""
    known = pool.beginning(words, 3 * most)
    candidates = ids_with_words(words, visible, CANDIDATES + 1)
    if len(candidates) > CANDIDATES:
        if len(known) == 3 * most:
            candidates = []
        if len("".join(words)) >= SHORTEST_WORD:
            whole = pool.beginning(words, 3 * most, are_whole=True)
            known |= whole
            if len(whole) < 3 * most:
                candidates += ids_with_words(words, visible, CANDIDATES, are_whole=True)
    elsewhere = [pk for pk in candidates if pk not in known]
    known |= pool.known(elsewhere) if elsewhere else {}
    return sorted({**known, **dict.fromkeys(candidates)}, key=lambda pk: (pk not in known, -known.get(pk, 0.0), pk))


def _in_order(
    listed: list[Player],
    former: dict[int, str],
    words: list[str],
    exact: Sequence[Player],
    series: Series | None,
    most: int,
) -> list[Player]:
    """
    Sort players by kind of match: exact handle, complete name, most whole words, beginning of words, former handle.

    If the player with exactly this handle isn't rated in the series, they are the last of those listed.
    """
    long = [word for word in words if len(word) >= SHORTEST_WORD]

    def place(player: Player) -> tuple[int, int]:
        if player in exact:
            return 0, 0
        if player.pk in former:
            return 3, 0
        whole = count_whole_words(long, player.handle, player.name)
        return 1 if is_whole_name(words, player.handle, player.name) else 2, -whole

    listed = sorted(listed, key=place)
    if series is None or not exact or Rating.objects.filter(series=series, player__in=exact).exists():
        return listed
    return [*[player for player in listed if player not in exact][: most - 1], *exact]


def _former(asked: _Asked, players: list[Player], user: User | AnonymousUser) -> dict[int, str]:
    """Return aliases and handles of merged players that begin with the text, by player id."""
    return _first_names([player.pk for player in players], asked.is_handle, user)


def _first_names(ids: list[int], matches: Callable[[str], bool], user: User | AnonymousUser) -> dict[int, str]:
    """Return the first alias or merged player's handle of each player that matches, by player id."""
    found: dict[int, str] = {}
    if not ids:
        return found
    named = visible_aliases(user).filter(player__in=ids).order_by("handle_key").values_list("player", "handle")
    for pk, handle in [*named, *merged_handles(ids, user)]:
        if matches(handle):
            found.setdefault(pk, handle)
    return found


def _similar(
    asked: _Asked, pool: TopPlayers, visible: QuerySet[Player], listed: list[Player], most: int, spellings: Spellings
) -> list[Player]:
    """Return other players whose names are similar to the text: the fewest edits first, then the best known."""
    found = players_with_similar_words(asked.words, visible, CANDIDATES, spellings) if asked.words else {}
    for player in listed:
        found.pop(player.pk, None)
    known = pool.known(list(found)) if found else {}
    ids = sorted(found, key=lambda pk: (found[pk], -known.get(pk, 0.0), pk))[: most - len(listed)]
    players = visible.in_bulk(ids)
    return [players[pk] for pk in ids if pk in players]


def _former_like(asked: _Asked, players: list[Player], user: User | AnonymousUser) -> dict[int, str]:
    """Return aliases and handles of merged players that resemble the text better than the players' own names."""
    ids = [player.pk for player in players if not asked.is_like(player.handle, player.name)]
    return _first_names(ids, asked.is_like, user)


def _containing(key: str, visible: QuerySet[Player], listed: list[Player], most: int) -> list[Player]:
    """Return players among the newest whose handle or name contains the key. NEWEST_PLAYERS limits the rows to read."""
    newest = visible.order_by("-pk").values_list("pk", flat=True).first() or 0
    within = Q(handle_key__contains=key) | Q(name__icontains=key)
    known = {player.pk for player in listed}
    found = visible.filter(within, pk__gt=newest - NEWEST_PLAYERS).exclude(pk__in=known).order_by("pk")
    return list(found[: most - len(listed)])


def likely_players(handle: str, most: int, user: User | AnonymousUser, community: str) -> list[Player]:
    """
    Return players of a community whose handle, or a word of whose handle or name, is similar to an unknown handle.

    The most similar come first.

    Candidates are the nearest players and those who match the beginning of the longest word. Each is compared letter by
    letter.
    """
    key = lookup_key(handle)
    if not key:
        return []
    longest = max(_BETWEEN.split(key), key=len) or key
    alike = nearest_players(handle, players_with_results(user).filter(community=community), most)
    containing = find_players(longest[: max(3, len(longest) * 2 // 3)], most, user, community=community)
    candidates = {player.pk: player for player in (*alike, *containing.players)}
    return sorted(candidates.values(), key=lambda player: -_likeness(key, player))[:most]


def _likeness(key: str, player: Player) -> float:
    """Return the similarity, from 0 to 1: of the whole, of the best word, or of the words in any order."""
    words = _BETWEEN.split(player.handle_key)
    named = {player.handle_key, *words, *_BETWEEN.split(player.name.casefold())}
    in_order = _ratio(" ".join(sorted(_BETWEEN.split(key))), " ".join(sorted(words)))
    return max(in_order, *(_ratio(key, word) for word in named))


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
