"""
The words of the names of contests, series and communities, and the search for misspelt ones.

`TitleWord` has the words of each name, folded as those of players are; of a series or community, those of the slug too.
Triggers add them to the list of known words (`matching.known_words`), which finds the words that resemble a typed one.
Models send their changes (`contests.receivers`); code that inserts many contests calls `add_contests`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from django.db import transaction
from django.db.models import Q

from contests.bulk import insert_missing, insert_rows
from contests.handles import LONGEST_WORD, search_words, words_of
from contests.matching.known_words import MISSPELT_WORDS, allowed_edits, edits
from contests.matching.name_index import prefix
from contests.models import Community, Contest, Series, TitleWord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.db.models import QuerySet

    from contests.matching.known_words import Spellings

Titled = TypeVar("Titled", Contest, Series, Community)

#: The column of `TitleWord` for each model.
KINDS: dict[type[Any], str] = {Contest: "contest", Series: "series", Community: "community"}
#: Contests read at once when the index is built.
_BLOCK = 20_000


def title_words(titled: Contest | Series | Community) -> list[str]:
    """Return the folded words that find a contest, series or community, without repetitions."""
    if isinstance(titled, Contest):
        return _contest_words(titled.name)
    # The joined words too, so that "formula1" finds "Formula 1".
    return list(dict.fromkeys([*search_words(titled.name), *search_words(titled.slug)]))


def _contest_words(name: str) -> list[str]:
    return list(dict.fromkeys(word[:LONGEST_WORD] for word in words_of(name)))


def index_title(titled: Contest | Series | Community, *, is_new: bool) -> None:
    """Rewrite the words of a contest, series or community; games of events get none."""
    if isinstance(titled, Contest) and titled.event_id is not None:
        return
    kind, words = KINDS[type(titled)], title_words(titled)
    own = TitleWord.objects.filter(**{kind: titled.pk})
    with transaction.atomic(savepoint=False):
        if not is_new:
            if set(own.values_list("word", flat=True)) == set(words):
                return
            own.delete()
        insert_missing(TitleWord, (f"{kind}_id", "word"), [(titled.pk, word) for word in words])


def add_contests(named: Iterable[tuple[int, str]]) -> None:
    """Write the words of new contests, given as (id, name)."""
    rows = [(pk, word) for pk, name in named for word in _contest_words(name)]
    insert_rows(TitleWord, ("contest_id", "word"), rows)


def index_all_titles() -> None:
    """Rebuild the words of all names."""
    with transaction.atomic():
        TitleWord.objects.all().delete()
        for model in (Series, Community):
            for titled in model.objects.only("name", "slug").iterator():
                index_title(titled, is_new=True)
        last = 0
        contests = Contest.objects.listed_alone().order_by("pk").values_list("pk", "name")
        while block := list(contests.filter(pk__gt=last)[:_BLOCK]):
            add_contests(block)
            last = block[-1][0]


def index_if_empty() -> None:
    """Build the index if there is none, after an update from a version without one."""
    if not TitleWord.objects.exists():
        index_all_titles()


def similarly_named(
    words: Sequence[str], rows: QuerySet[Titled], most: int, spellings: Spellings
) -> list[tuple[int, Titled]]:
    """
    Return up to `most` of these rows whose names have words similar to all of these, fewest edits first.

    rows
        What the visitor may see, in the order in which rows with equally many edits are listed.

    Each comes with the number of edits of the longest word. Numbers in the text must equal those of the name. Hidden
    rows change neither the number of queries nor which visible rows are found.
    """
    if not words:
        return []
    longest, *others = sorted(words, key=len, reverse=True)
    if not _may_differ(longest):
        return []
    similar = spellings.of(longest)
    for at, word in enumerate(others, 1):
        like = spellings.of(word) if at < MISSPELT_WORDS and _may_differ(word) else {}
        rows = rows.filter(pk__in=_with_word(rows.model, word, like))
    found: list[tuple[int, Titled]] = []
    for is_close in (True, False):
        level = [word for word, count in similar.items() if (count <= 1) == is_close]
        named = rows.filter(pk__in=_with_word(rows.model, longest if is_close else "", level))
        if len(found) < most:
            found += [(_distance(longest, row), row) for row in named[:most]]
    unique = {row.pk: (count, row) for count, row in reversed(found)}
    return sorted(reversed(unique.values()), key=lambda pair: pair[0])[:most]


def _may_differ(word: str) -> bool:
    return not word.isdigit() and allowed_edits(word) > 0


def _distance(word: str, titled: Contest | Series | Community) -> int:
    return min((edits(word, own) for own in title_words(titled)), default=len(word))


def _with_word(model: type[Any], start: str, words: Iterable[str]) -> QuerySet[TitleWord, Any]:
    """Return the ids of rows of a model whose names have one of the words, or a word that begins with `start`."""
    kind = KINDS[model]
    condition = Q(word__in=[*words, ""])
    if start:
        condition |= prefix("word", start)
    return TitleWord.objects.filter(condition, **{f"{kind}__isnull": False}).values(kind)
