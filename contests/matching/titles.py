"""
The words of the names of contests, series and communities, and the search for these names.

`TitleWord` has the words of each name, folded as those of players are; of a series or community, those of the slug too.
Triggers add them to the list of known words (`matching.known_words`), which finds the words that resemble a typed one.
Models send their changes (`contests.receivers`); code that inserts many contests calls `add_contests`.

A typed word finds names with a word that begins with it. The numbers from 1 to 10 are the same in words and in digits:
"formula one" finds Formula 1. All searches are for rows that the visitor may see. Hidden rows change neither the number
of queries nor which visible rows are found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from django.db import transaction
from django.db.models import Q

from contests.bulk import insert_missing, insert_rows
from contests.handles import LONGEST_WORD, search_words, words_of
from contests.matching.known_words import LETTERS, MISSPELT_WORDS, edits
from contests.matching.name_index import prefix
from contests.models import Community, Contest, Series, TitleWord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.db.models import QuerySet

    from contests.matching.known_words import Spellings
    from contests.models.contest import ContestQuerySet

Titled = TypeVar("Titled", Contest, Series, Community)

#: The column of `TitleWord` for each model.
KINDS: dict[type[Any], str] = {Contest: "contest", Series: "series", Community: "community"}
#: Contests read at once when the index is built.
_BLOCK = 20_000
#: Words of series to read at once. Only words such as "cup" are in the names of more series.
_SERIES_WORDS = 1_000
#: If no name has all words of a text, this many of them are looked up, the longest ones.
_WORDS_LOOKED_UP = 4
#: The number of rows with a word is counted up to this one.
_COMMON = 100
#: A name that has only some words of a text must have at least one of so many of its letters.
_LETTERS_SHARED = 3
_IN_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DIGITS = {word: str(number) for number, word in enumerate(_IN_WORDS, start=1)}
#: Small numbers in words by digits, and the other way round.
_OTHER_FORM = _DIGITS | {digits: word for word, digits in _DIGITS.items()}


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


def named(words: Iterable[str], rows: QuerySet[Titled]) -> QuerySet[Titled]:
    """Filter rows to those whose names have, for each of these words, a word that begins with it."""
    for word in words:
        rows = rows.filter(pk__in=_with_word(rows.model, word))
    return rows


def named_with_series(words: Sequence[str], contests: ContestQuerySet, series: QuerySet[Series]) -> ContestQuerySet:
    """
    Filter contests to those that have some of the words in their own names, and the others in those of their series.

    The series are looked up in one query. Those that have all the words don't count, because a search lists them
    instead of their contests.
    """
    having = _series_with_words(words, series)
    some = {pk for ids in having.values() for pk in ids}
    partly = [pk for pk in some if not all(pk in ids for ids in having.values())]
    contests = contests.filter(series__in=partly)
    for word in words:
        contests = contests.filter(Q(pk__in=_with_word(Contest, word)) | Q(series__in=having[word]))
    return contests


def _series_with_words(words: Sequence[str], series: QuerySet[Series]) -> dict[str, set[int]]:
    """Return the ids of these series with each of the words."""
    begins = Q()
    for word in words:
        begins |= _begins(word)
    rows = TitleWord.objects.filter(begins, series__in=series.order_by().values("pk")).order_by("series", "word")
    having: dict[str, set[int]] = {word: set() for word in words}
    for pk, own in rows.values_list("series", "word")[:_SERIES_WORDS]:
        for word in words:
            if own.startswith(word) or own == _OTHER_FORM.get(word):
                having[word].add(pk)
    return having


def similarly_named(
    words: Sequence[str], rows: QuerySet[Titled], most: int, spellings: Spellings
) -> list[tuple[int, Titled]]:
    """
    Return up to `most` of these rows whose names have words that contain or resemble all of these, fewest edits first.

    rows
        What the visitor may see, in the order in which rows with equally many edits are listed.

    Each comes with the number of edits of the longest word. Numbers are not misspelt.
    """
    if not words:
        return []
    longest, *others = sorted(words, key=len, reverse=True)
    similar = _similar_or_containing(longest, spellings)
    for at, word in enumerate(others, start=1):
        like = _similar_or_containing(word, spellings) if at < MISSPELT_WORDS else {}
        rows = rows.filter(pk__in=_with_word(rows.model, word, like))
    found: list[tuple[int, Titled]] = []
    for is_close in (True, False):
        level = [known for known, count in similar.items() if (count <= 1) == is_close]
        among = rows.filter(pk__in=_with_word(rows.model, longest if is_close else "", level))
        if len(found) < most:
            found += [(_distance(longest, row), row) for row in among[:most]]
    unique = {row.pk: (count, row) for count, row in reversed(found)}
    return sorted(reversed(unique.values()), key=lambda pair: pair[0])[:most]


def _similar(word: str, spellings: Spellings) -> dict[str, int]:
    return {} if word.isdigit() else spellings.of(word)


def _similar_or_containing(word: str, spellings: Spellings) -> dict[str, int]:
    return _similar(word, spellings) | dict.fromkeys(spellings.inside(word), 0)


def contains_words(words: Iterable[str], titled: Contest | Series | Community) -> bool:
    """Return whether the name contains each of the words, perhaps inside another word."""
    own = title_words(titled)
    return all(any(word in one for one in own) for word in words)


def _distance(word: str, titled: Contest | Series | Community) -> int:
    if contains_words([word], titled):
        return 0
    return min((edits(word, own) for own in title_words(titled)), default=len(word))


def with_most_words(
    words: Sequence[str], rows: QuerySet[Titled], most: int, spellings: Spellings
) -> list[tuple[int, Titled]]:
    """
    Return up to `most` of these rows whose names have some of the words, if none has all.

    Each comes with the number of letters of these words, without numbers, because many names have the same year. The
    search starts with the word that the fewest rows have, and keeps each further one that some of them have. Words in
    no name may be misspelt.
    """
    longest = sorted(words, key=len, reverse=True)[:_WORDS_LOOKED_UP]
    having = {word: _counted(word, rows, spellings) for word in longest}
    letters, found = 0, list[Titled]()
    for word, (count, fewer) in sorted(having.items(), key=lambda pair: (pair[0].isdigit(), pair[1][0])):
        both = rows.filter(pk__in=fewer)
        if count and (listed := list(both[:most])):
            rows, found = both, listed
            letters += _letters(word)
    is_enough = letters and letters * _LETTERS_SHARED >= sum(map(_letters, words))
    return [(letters, row) for row in found] if is_enough else []


def _letters(word: str) -> int:
    return 0 if word.isdigit() else len(word)


def _counted(word: str, rows: QuerySet[Titled], spellings: Spellings) -> tuple[int, QuerySet[TitleWord, Any]]:
    """Return the number of rows with a word or, if there are none, with a similar one, and the ids of such rows."""
    ids = _with_word(rows.model, word)
    count = _count(rows, ids)
    if count or len(word) < LETTERS:
        return count, ids
    ids = _with_word(rows.model, "", _similar(word, spellings))
    return _count(rows, ids), ids


def _count(rows: QuerySet[Titled], ids: QuerySet[TitleWord, Any]) -> int:
    return len(rows.filter(pk__in=ids).order_by().values_list("pk")[:_COMMON])


def _begins(word: str) -> Q:
    """Return the condition that a stored word begins with a word, or is the same number."""
    condition = prefix("word", word)
    return condition | Q(word=_OTHER_FORM[word]) if word in _OTHER_FORM else condition


def _with_word(model: type[Any], start: str, words: Iterable[str] = ()) -> QuerySet[TitleWord, Any]:
    """Return the ids of rows of a model whose names have one of the words, or a word that begins with `start`."""
    kind, words = KINDS[model], [*words]
    # A query runs even without words, so that no one can measure whether hidden names have one.
    condition = Q(word__in=words or [""]) if words or not start else Q()
    if start:
        condition = condition | _begins(start) if words else _begins(start)
    return TitleWord.objects.filter(condition, **{f"{kind}__isnull": False}).values(kind)
