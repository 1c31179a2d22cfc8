"""Queries about players: their results by series, other names, and possible duplicates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.db.models import Count, Exists, Max, Min, OuterRef, Q
from django.utils.translation import gettext

from contests.handles import handle_key
from contests.matching.close_names import find_alike
from contests.matching.name_index import matching
from contests.matching.players import players_of_series
from contests.matching.similarity import forms_of
from contests.models import ContestState, Player, PlayerAlias, PlayerMerge, Standing
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from contests.models.player import PlayerQuerySet

#: The most players of a series that are compared with each other (the newest), and the most pairs shown.
MOST_COMPARED = 20_000
MOST_PAIRS = 50
#: Pairs for which a query looks up whether they were ever in the same contest.
_CANDIDATES = 600


@dataclass(frozen=True, slots=True)
class InSeries:
    """A player's results in one series: how many, and when the first and last contest ended."""

    community_id: str
    slug: str
    name: str
    count: int
    first: datetime
    last: datetime


@dataclass(slots=True)
class Profile:
    """A player with results, other names and merges; `merges` are those that can be split."""

    player: Player
    series: list[InSeries] = field(default_factory=list)
    aliases: list[PlayerAlias] = field(default_factory=list)
    merges: list[PlayerMerge] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(one.count for one in self.series)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two players who may be the same person; `first` has more results in the series."""

    first: Player
    second: Player
    first_count: int
    second_count: int
    similarity: int
    why: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """The most likely duplicates, most similar first; `cut` is a sentence on what was left out."""

    pairs: list[Pair]
    cut: str = ""


def profiles_of(players: Sequence[Player]) -> list[Profile]:
    """Return profiles in the order of the players; three queries, however many."""
    profiles = {player.pk: Profile(player) for player in players}
    rows = Standing.objects.filter(player__in=profiles).exclude(contest__state=ContestState.DELETED)
    grouped = rows.values_list("player_id", "contest__series__slug", "contest__series__name").annotate(
        count=Count("pk"), first=Min("contest__ends_at"), last=Max("contest__ends_at")
    )
    for player_id, slug, name, count, first, last in grouped.order_by("contest__series__name"):
        community = profiles[player_id].player.community_id
        profiles[player_id].series.append(InSeries(community, slug, name, count, first, last))
    for alias in PlayerAlias.objects.filter(player__in=profiles).order_by("handle_key"):
        profiles[alias.player_id].aliases.append(alias)
    merges = PlayerMerge.objects.filter(split_at=None, merged__merged_into__in=profiles)
    for merge in merges.select_related("merged", "actor").order_by("-at", "-pk"):
        profiles[merge.merged.merged_into_id or 0].merges.append(merge)
    return list(profiles.values())


def search_people(series_id: int, text: str) -> PlayerQuerySet:
    """Return the players of a series by handle, filtered by text in any of their names."""
    players = players_of_series(series_id).order_by("handle_key")
    if not text:
        return players
    key = handle_key(text)
    alias = Exists(PlayerAlias.objects.filter(player=OuterRef("pk"), handle_key__contains=key))
    was = Exists(Player.objects.filter(matching(text), merged_into=OuterRef("pk")))
    return players.filter(matching(text) | Q(name__icontains=text) | Q(alias) | Q(was))


def counts_of(player_ids: Iterable[int], series_id: int) -> dict[int, int]:
    """Return player id -> number of results in a series, drafts included."""
    rows = Standing.objects.filter(player__in=list(player_ids), contest__series=series_id)
    counted = rows.exclude(contest__state=ContestState.DELETED).values_list("player_id").annotate(count=Count("pk"))
    return dict(counted.order_by())


def close_pairs(series_id: int) -> Pairs:
    """
    Return the pairs of a series' players with similar names.

    Two players who have been in the same contest are different people, and are left out.
    """
    newest = players_of_series(series_id).order_by("-pk").values_list("pk", "handle", "name", "country")
    known = list(newest[: MOST_COMPARED + 1])
    cut = _only_newest() if len(known) > MOST_COMPARED else ""
    forms = [forms_of(handle, name, country) for _, handle, name, country in known[:MOST_COMPARED]]
    found = find_alike(forms, forms)
    alike = sorted(
        ((result.similarity, known[i][0], known[k][0], result.why)
        for i, row in enumerate(found.alike) for k, result in row if i < k),
        reverse=True,
    )  # fmt: skip
    best, candidates = [], alike[:_CANDIDATES]
    together = _ever_together(candidates)
    for pair in candidates:
        if frozenset(pair[1:3]) not in together:
            best.append(pair)
    if len(alike) > _CANDIDATES or len(best) > MOST_PAIRS or found.is_cut:
        cut = f"{cut} {gettext('The list shows only the most similar names.')}".strip()
    return Pairs(_as_pairs(best[:MOST_PAIRS], series_id), cut)


def _only_newest() -> str:
    text = gettext("Podium compared only the newest %(number)s players.")
    return text % {"number": grouped(MOST_COMPARED)}


def _ever_together(pairs: Sequence[tuple[int, int, int, str]]) -> set[frozenset[int]]:
    """Return the pairs that were in the same contest, in any series."""
    ones, others = {pair[1] for pair in pairs}, {pair[2] for pair in pairs}
    wanted = {frozenset(pair[1:3]) for pair in pairs}
    rows = Standing.objects.filter(player__in=ones, contest__standings__player__in=others)
    met = rows.exclude(contest__state=ContestState.DELETED).values_list("player", "contest__standings__player")
    return {frozenset(pair) for pair in met.distinct() if len(set(pair)) == 2} & wanted


def _as_pairs(best: Sequence[tuple[int, int, int, str]], series_id: int) -> list[Pair]:
    ids = {pk for pair in best for pk in pair[1:3]}
    players, counts = Player.objects.in_bulk(ids), counts_of(ids, series_id)
    pairs = []
    for similarity, one, other, why in best:
        first, second = sorted((one, other), key=lambda pk: (-counts.get(pk, 0), pk))
        pairs.append(
            Pair(players[first], players[second], counts.get(first, 0), counts.get(second, 0), similarity, why)
        )
    return pairs
