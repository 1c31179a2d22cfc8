"""Pairs of a series' players who may be the same person: similar names that were never in the same contest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count
from django.utils.translation import gettext

from contests.matching.close_names import find_alike
from contests.matching.known_names import players_of_series
from contests.matching.similarity import forms_of, likeness
from contests.models import ContestState, Player, Standing
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from contests.matching.similarity import Forms

#: The most players of a series that are compared with each other (the newest), and the most pairs shown. 100,000 take
#: about 9 seconds and 400 MB, 1,000 about 0.2 seconds.
MOST_COMPARED = 100_000
MOST_PAIRS = 50
#: The number of pairs for which one query looks up whether they were ever in the same contest.
_CANDIDATES = 600


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


@dataclass(frozen=True, slots=True)
class Found:
    """
    The result of a search, as plain values.

    pairs
        Ids of two players each, most similar first.
    is_of_newest
        Whether only the newest players were compared.
    is_cut
        Whether there are more pairs.
    """

    pairs: list[list[int]]
    is_of_newest: bool = False
    is_cut: bool = False


def find_pairs(series_id: int, progress: Callable[[int, int], None] | None = None) -> Found:
    """
    Compare the players of a series.

    progress
        Called with the numbers of players compared so far and in all.
    """
    newest = players_of_series(series_id).order_by("-pk").values_list("pk", "handle", "name", "country")
    known = list(newest[: MOST_COMPARED + 1])
    is_of_newest = len(known) > MOST_COMPARED
    del known[MOST_COMPARED:]
    forms = [forms_of(handle, name, country) for _, handle, name, country in known]
    count = len(forms)
    compared = find_alike(forms, forms, progress=None if progress is None else lambda done: progress(done, count))
    alike = sorted(
        ((result.similarity, known[i][0], known[k][0])
        for i, row in enumerate(compared.alike) for k, result in row if i < k),
        reverse=True,
    )  # fmt: skip
    candidates = [[one, other] for _, one, other in alike[:_CANDIDATES]]
    best = _never_together(candidates)
    is_cut = len(alike) > _CANDIDATES or len(best) > MOST_PAIRS or compared.is_cut
    return Found(best[:MOST_PAIRS], is_of_newest, is_cut)


def pairs_of(found: Found, series_id: int, *, is_stored: bool = False) -> Pairs:
    """
    Return the pairs of a result with their players, as they are now.

    is_stored
        Whether the result is older than this request: pairs are left out if they have been in the same contest since.
        Players who were merged, renamed or left the series since are always left out.
    """
    kept = _never_together(found.pairs) if is_stored else found.pairs
    ids = {pk for pair in kept for pk in pair}
    players = {pk: player for pk, player in Player.objects.in_bulk(ids).items() if player.merged_into_id is None}
    counts = counts_of(ids, series_id)
    pairs = []
    for one, other in kept:
        if not {one, other} <= players.keys() & counts.keys():
            continue
        result = likeness(_forms(players[one]), _forms(players[other]))
        if result is not None:
            first, second = sorted((one, other), key=lambda pk: (-counts.get(pk, 0), pk))
            numbers = counts.get(first, 0), counts.get(second, 0)
            pairs.append(Pair(players[first], players[second], *numbers, *result))
    return Pairs(pairs, _left_out(found))


def close_pairs(series_id: int) -> Pairs:
    """Compare the players of a series, and return the pairs with their players."""
    return pairs_of(find_pairs(series_id), series_id)


def counts_of(player_ids: Iterable[int], series_id: int) -> dict[int, int]:
    """Return player id -> number of results in a series, drafts included."""
    rows = Standing.objects.filter(player__in=list(player_ids), contest__series=series_id)
    counted = rows.exclude(contest__state=ContestState.DELETED).values_list("player_id").annotate(count=Count("pk"))
    return dict(counted.order_by())


def _left_out(found: Found) -> str:
    sentences = []
    if found.is_of_newest:
        text = gettext("Podium compared only the %(number)s most recently added players.")
        sentences.append(text % {"number": grouped(MOST_COMPARED)})
    if found.is_cut:
        sentences.append(gettext("The list shows only the most similar names."))
    return " ".join(sentences)


def _forms(player: Player) -> Forms:
    return forms_of(player.handle, player.name, player.country)


def _never_together(pairs: list[list[int]]) -> list[list[int]]:
    """Return the pairs that were never in the same contest, in any series."""
    ones, others = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    rows = Standing.objects.filter(player__in=ones, contest__standings__player__in=others)
    met = rows.exclude(contest__state=ContestState.DELETED).values_list("player", "contest__standings__player")
    together = {frozenset(pair) for pair in met.distinct()} if pairs else set()
    return [pair for pair in pairs if frozenset(pair) not in together]


def from_json(value: dict[str, Any] | None) -> Found | None:
    """Return a stored result, None if there is none, or if another version of the site wrote it."""
    try:
        return None if value is None else Found(**value)
    except TypeError:
        return None
