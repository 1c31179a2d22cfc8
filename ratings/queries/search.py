"""Finding players, contests and series: bounded work, whatever is asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, TypeVar

from django.db import connection
from django.db.models import Q

from contests.handles import handle_key, query_words, search_words
from contests.matching.name_index import has_words, ids_with_words, is_whole_name
from contests.models import Player, PlayerAlias, Series
from contests.queries.visibility import visible_players, visible_series
from contests.services.standings import find_player
from ratings.models import Rating
from ratings.queries.top_players import top_players

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User
    from django.db.models import QuerySet

    from contests.models.contest import ContestQuerySet
    from ratings.queries.top_players import TopPlayers


Named = TypeVar("Named", "Player", "PlayerAlias")

#: How many candidates are compared letter by letter when a handle is unknown.
COMPARED_HANDLES = 200
#: A handle so alike is what was meant.
SURE = 0.85
#: Of a search for contests, so many words count.
WORDS = 8


def player_of(handle: str) -> Player | None:
    """Return the player of that handle or alias, whatever its case; of who was merged, whom that one became."""
    return find_player(handle) if key_of(handle) else None


def beginning_with(rows: QuerySet[Named], key: str) -> QuerySet[Named]:
    """Return those whose handle begins with the key, found by index."""
    found = rows.filter(handle_key__startswith=key)
    if connection.vendor == "sqlite":
        # Its LIKE does not look at case and so at no index; its order is that of code points.
        return found.filter(handle_key__gte=key, handle_key__lt=f"{key}\U0010ffff")
    return found


def find_contests(text: str, contests: ContestQuerySet) -> ContestQuerySet:
    """Return those of the contests that have all words in their names, the newest first."""
    words = text.split()[:WORDS]
    for word in words:
        contests = contests.filter(name__icontains=word)
    return contests.newest_first() if words else contests.none()


def find_series(text: str, series: QuerySet[Series]) -> QuerySet[Series]:
    """Return those of the series that have all words in name or address, by name."""
    for word in text.split()[:WORDS]:
        series = series.filter(Q(name__icontains=word) | Q(slug__icontains=word))
    return series.order_by("name", "pk") if text.split() else series.none()


def nearest_players(handle: str, players: QuerySet[Player], most: int = 8) -> list[Player]:
    """Return those of the players whose handles look like an unknown one, the most alike first."""
    key = key_of(handle)
    if not key:
        return []
    candidates = {player.pk: player for player in _beginning_alike(key, players)}
    likeness = {pk: SequenceMatcher(None, key, player.handle_key).ratio() for pk, player in candidates.items()}
    alike = sorted(candidates.values(), key=lambda player: -likeness[player.pk])
    if alike and likeness[alike[0].pk] >= SURE:
        return alike[:most]
    # Spelt otherwise at its beginning, or within: sought among the best of the leaderboards alone.
    ids = top_players(Series.objects.public()).alike(key, most)
    spelt = players.in_bulk(ids)
    return list(dict.fromkeys([*(spelt[pk] for pk in ids if pk in spelt), *alike]))[:most]


def key_of(text: str) -> str:
    """Return the key to look a handle up by; empty for what cannot be one."""
    return "" if "\x00" in text or len(text) > 400 else handle_key(text)


def _beginning_alike(key: str, players: QuerySet[Player]) -> QuerySet[Player]:
    """Return candidates: as long a common beginning as finds anybody; two letters for a last try."""
    for length in (max(2, len(key) * 2 // 3), 3, 2):
        alike = beginning_with(players, key[:length]).order_by("handle_key")[:COMPARED_HANDLES]
        if alike:
            return alike
    return players.none()


#: The most players whose names begin with the letters that are put in order; beyond, the best of the leaderboards.
CANDIDATES = 500
#: From so many letters on, handles and names are looked through for those that have them within words.
HELD = 3
#: Besides the best of the leaderboards, so many of the newest players are looked through for them.
NEWEST = 10_000
#: What separates the words of a handle or a name.
_BETWEEN = re.compile(r"[\W_]+")


def find_players(
    text: str, most: int, user: User | AnonymousUser, series: Series | None = None
) -> tuple[list[Player], dict[int, str]]:
    """
    Return the players whom the text may mean, the likeliest first, and former handles that led to some, by player id.

    First comes the player with exactly this handle, now or formerly (in a series: if rated in it). Then come players
    whose handles and names have words that begin with those of the text: whole names first, the best known first. Then
    those whose former handles do so, and last those who have the words within handle or name.
    """
    asked = _Asked(key_of(text), query_words(text))
    if not asked.key:
        return [], {}
    ranked = visible_series(user) if series is None else visible_series(user).filter(pk=series.pk)
    visible, exact = visible_players(user), player_of(text)
    ids = _candidates(asked, top_players(ranked), most)
    if exact is not None:
        ids = _with_exact(exact.pk, ids, series, most)
    found = visible.in_bulk(ids[: 3 * most])
    listed = [found[pk] for pk in ids if pk in found]
    former = _former(asked, [player for player in listed if not asked.begins(player)])
    # The best of the leaderboards are kept by run, and someone may have another name since.
    listed = [one for one in listed if one.pk in former or asked.begins(one) or asked.is_within(one)]
    listed = _in_order(listed, former, asked.words, exact)[:most]
    if len(listed) < most and len(asked.key) >= HELD:
        listed += _holding(asked.key, visible, listed, most)
    return listed, former


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was typed: as a key, and as words; no words if it consists of signs such as emoji."""

    key: str
    words: list[str]

    def begins(self, player: Player) -> bool:
        """Tell whether the handle, or words of handle and name, begin with what was typed."""
        if not self.words:
            return player.handle_key.startswith(self.key)
        return has_words(self.words, player.handle, player.name)

    def is_within(self, player: Player) -> bool:
        """Tell whether handle or name have what was typed anywhere."""
        folded = " ".join(search_words(player.handle, player.name))
        return self.key in player.handle_key or (bool(self.words) and all(word in folded for word in self.words))

    def is_handle(self, handle: str) -> bool:
        """Tell whether a former handle begins with what was typed."""
        return has_words(self.words, handle) if self.words else key_of(handle).startswith(self.key)


def _candidates(asked: _Asked, pool: TopPlayers, most: int) -> list[int]:
    """Return ids of players who may be meant, the likeliest first."""
    if not asked.words:
        return _of_signs(asked.key)
    ids = _beginning(asked.words, pool, most)
    if len("".join(asked.words)) >= HELD and len(ids) < most:
        ids += [pk for pk in pool.holding(asked.words, most) if pk not in ids]
    return ids


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
    """Return ids of players whose handles begin with signs other than letters, such as emoji."""
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
        return listed  # in a series in which the player of this handle is not rated
    return sorted(listed, key=place)


def _former(asked: _Asked, players: list[Player]) -> dict[int, str]:
    """Return former handles, and those of merged players, that begin with what was typed, by player id."""
    ids = [player.pk for player in players]
    found: dict[int, str] = {}
    if not ids:
        return found
    named = PlayerAlias.objects.filter(player__in=ids).order_by("handle_key").values_list("player", "handle")
    merged = Player.objects.filter(merged_into__in=ids).order_by("handle_key").values_list("merged_into", "handle")
    for pk, handle in [*named, *merged]:
        if pk is not None and asked.is_handle(handle):
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


def likely_players(handle: str, most: int, user: User | AnonymousUser) -> list[Player]:
    """
    Return players whose handle, or a word of handle or name, looks like an unknown handle, the most alike first.

    Candidates are those whose handle begins alike, and those who have the beginning of its longest word anywhere; each
    of them is compared letter by letter.
    """
    key = key_of(handle)
    if not key:
        return []
    longest = max(_BETWEEN.split(key), key=len) or key
    alike = nearest_players(handle, visible_players(user), most)
    holding, __ = find_players(longest[: max(3, len(longest) * 2 // 3)], most, user)
    candidates = {player.pk: player for player in (*alike, *holding)}
    return sorted(candidates.values(), key=lambda player: -_likeness(key, player))[:most]


def _likeness(key: str, player: Player) -> float:
    """Return how alike they are, from 0 to 1: as a whole, in the best of words, or with the words in any order."""
    words = _BETWEEN.split(player.handle_key)
    named = {player.handle_key, *words, *_BETWEEN.split(player.name.casefold())}
    in_order = _ratio(" ".join(sorted(_BETWEEN.split(key))), " ".join(sorted(words)))
    return max(in_order, *(_ratio(key, word) for word in named))


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
