"""
The words of the names of players, contests, series and communities, each once, and the search for similar ones.

Triggers on the tables of these words update the list in the transaction that changes a name. An index of trigrams
finds the words that share groups of three letters with a misspelt one: PostgreSQL's `pg_trgm`, or FTS5 with its trigram
tokenizer on SQLite. `prepare` creates it at the end of each `migrate`. If the database user may not create the
extension, or if SQLite has no such tokenizer, there is no index, and the search finds no misspelt words.

A word of at least 4 letters can have one edit (a letter added, missing, changed, or swapped with its neighbour), a word
of at least 6 letters two edits, and a word of at least 10 letters three. The beginning of a longer word counts as well,
because people search while typing.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import numpy as np
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Coalesce
from django.db.utils import DatabaseError
from rapidfuzz import process
from rapidfuzz.distance import OSA

from contests.matching.name_index import first_among, prefix
from contests.models import Player, PlayerWord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.db.models import QuerySet

logger = logging.getLogger(__name__)

#: Only this many words of a query may be misspelt: the longest ones. All but the longest also need this many letters,
#: because looking up all words that are similar to a short one takes longer than the rest of the search.
MISSPELT_WORDS, LETTERS = 3, 6
#: Words with this number of letters are also looked for inside words of titles; the second number is for scripts other
#: than Latin, some of which don't separate words.
LETTERS_INSIDE, LETTERS_INSIDE_ELSEWHERE = 3, 2
_WORDS, _NAMES, _FTS = "contests_knownword_trigrams", "contests_contest_name_trigrams", "contests_wordtrigrams"
_TRIGGERS = {
    f"{_FTS}_added": f"AFTER INSERT ON contests_knownword BEGIN INSERT INTO {_FTS} (rowid, word)"
    " VALUES (NEW.id, ' ' || NEW.word || ' '); END",
    f"{_FTS}_gone": f"AFTER DELETE ON contests_knownword BEGIN DELETE FROM {_FTS} WHERE rowid = OLD.id; END",
}
#: Databases (by name) known to have the index. Others are checked each time, since they may get it later.
_indexed: set[str] = set()


def prepare() -> None:
    """Create the indexes of trigrams, as far as the database allows; do nothing if they exist."""
    _indexed.discard(str(connection.settings_dict["NAME"]))
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in _postgresql() if connection.vendor == "postgresql" else _sqlite():
                cursor.execute(statement)
    except DatabaseError as error:
        first_line = str(error).strip().splitlines()[0]
        logger.warning("Search will not find misspelt names, because there is no index of trigrams: %s", first_line)


def is_available() -> bool:
    """Whether the database has the index, without which the search finds no misspelt words."""
    name = str(connection.settings_dict["NAME"])
    if name not in _indexed:
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SELECT 1 WHERE to_regclass(%s) IS NOT NULL", [_WORDS])
            else:
                cursor.execute("SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = %s", [f"{_FTS}_added"])
            if cursor.fetchone() is not None:
                _indexed.add(name)
    return name in _indexed


def _postgresql() -> list[str]:
    with connection.cursor() as cursor:
        # Creating an existing extension fails without the right to create it, and creating an existing index waits for
        # transactions that write contests.
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'),"
            " to_regclass(%s) IS NOT NULL, to_regclass(%s) IS NOT NULL",
            [_WORDS, _NAMES],
        )
        existing = cursor.fetchone()
    statements = (
        "CREATE EXTENSION pg_trgm",
        f"CREATE INDEX {_WORDS} ON contests_knownword USING gin (word gin_trgm_ops)",
        # The expression that Django searches with `icontains`.
        f"CREATE INDEX {_NAMES} ON contests_contest USING gin (UPPER(name::text) gin_trgm_ops)",
    )
    return [statement for statement, exists in zip(statements, existing, strict=True) if not exists]


def _sqlite() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        if set(_TRIGGERS) <= {name for (name,) in cursor.fetchall()}:
            return []
    # A space on each side, so that the first and last two letters count as well.
    return [
        f"DROP TABLE IF EXISTS {_FTS}",
        *(f"DROP TRIGGER IF EXISTS {name}" for name in _TRIGGERS),
        f"CREATE VIRTUAL TABLE {_FTS} USING fts5(word, tokenize='trigram', detail=none)",
        f"INSERT INTO {_FTS} (rowid, word) SELECT id, ' ' || word || ' ' FROM contests_knownword",
        *(f"CREATE TRIGGER {name} {body}" for name, body in _TRIGGERS.items()),
    ]


def allowed_edits(word: str) -> int:
    """Return the number of edits by which a typed word may differ from the intended one."""
    return 0 if len(word) < 4 else 1 if len(word) < 6 else 2 if len(word) < 10 else 3


def edits(asked: str, known: str) -> int:
    """Return the least number of edits between a typed word and a known word or its beginning."""
    most = allowed_edits(asked)
    ends = range(max(1, len(asked) - most), min(len(known), len(asked) + most) + 1)
    return min((OSA.distance(asked, known[:end]) for end in ends), default=len(asked))


def similar_words(asked: str) -> dict[str, int]:
    """
    Return the known words that are similar to a typed word, but do not begin with it, with their numbers of edits.

    One query. The words of all names count, hidden ones too, so use the result only in queries that check visibility.
    It has no limit, because hidden words would push out visible ones. Thousands of words can begin with a short one;
    `name_index.prefix` finds those faster.
    """
    most = allowed_edits(asked)
    if not most:
        return {}
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT word FROM contests_knownword"
                " WHERE (word %% %s OR word = ANY(%s)) AND NOT starts_with(word, %s)",
                [asked, _swapped(asked), asked],
            )
        else:
            # Leave out the trigram with only the first letter, which a tenth of all words may share.
            padded = f" {asked} "
            trigrams = " OR ".join(f'"{padded[i : i + 3]}"' for i in range(len(padded) - 2))
            cursor.execute(
                f"SELECT word FROM contests_knownword WHERE length(word) >= %s AND substr(word, 1, %s) <> %s"
                f" AND (id IN (SELECT rowid FROM {_FTS} WHERE {_FTS} MATCH %s)"
                " OR word IN (SELECT value FROM json_each(%s)))",
                [len(asked) - most, len(asked), asked, trigrams, json.dumps(_swapped(asked))],
            )
        words = list({word for (word,) in cursor.fetchall()})
    # A word whose beginning differs by d edits differs by about 2 d at most when it is cut to the same length.
    apart = process.cdist([asked], [word[: len(asked)] for word in words], scorer=OSA.distance)[0]
    found = {words[i]: edits(asked, words[i]) for i in np.flatnonzero(apart <= 2 * most + 1).tolist()}
    return {word: count for word, count in found.items() if count <= most}


def title_words_with(asked: str) -> list[str]:
    """
    Return the words of titles that have a typed word inside, but do not begin with it.

    One query. As with `similar_words`, the words of hidden titles count. The index doesn't help with two letters: then
    the database reads all known words.
    """
    if len(asked) < (LETTERS_INSIDE if asked.isascii() else LETTERS_INSIDE_ELSEWHERE):
        return []
    is_in_table = connection.vendor == "postgresql" or len(asked) < LETTERS_INSIDE
    contains = "word LIKE %s" if is_in_table else f"id IN (SELECT rowid FROM {_FTS} WHERE word LIKE %s)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT word FROM contests_knownword known WHERE {contains} AND NOT word LIKE %s"
            " AND EXISTS (SELECT 1 FROM contests_titleword own WHERE own.word = known.word)",
            [f"%{asked}%", f"{asked}%"],
        )
        return list({word for (word,) in cursor.fetchall()})


def _swapped(word: str) -> list[str]:
    """Return the word with each pair of neighbours swapped, which leaves few trigrams of a short word unchanged."""
    return [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)]


class Spellings:
    """The words that are similar to each word of one search, each looked up once; none without an index of trigrams."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, int]] = {}
        self._inside: dict[str, list[str]] = {}

    def of(self, word: str) -> dict[str, int]:
        """Return the known words that are similar to a typed word, each with its number of edits."""
        if word not in self._found:
            self._found[word] = similar_words(word) if is_available() else {}
        return self._found[word]

    def inside(self, word: str) -> list[str]:
        """Return the words of titles that have a typed word inside."""
        if word not in self._inside:
            self._inside[word] = title_words_with(word) if is_available() else []
        return self._inside[word]


def players_with_similar_words(
    words: Sequence[str], among: QuerySet[Player], most: int, spellings: Spellings
) -> dict[int, int]:
    """
    Return players whose names have words similar to all of these or, if there are none, to the joined words.

    The values are the numbers of edits of the longest word. Merged players are replaced by the players they were merged
    into. If there are enough such players in `among`, at least `most` are returned, those with the fewest edits first.
    """
    found: dict[int, int] = {}
    if not allowed_edits("".join(words)) or not is_available():
        return found
    alternatives = [list(words), ["".join(words)]][: min(len(words), 2)]
    for alternative in alternatives:
        if found:
            break
        longest, *others = sorted(alternative, key=len, reverse=True)
        named = [
            _named(word, spellings.of(word) if at < MISSPELT_WORDS and len(word) >= LETTERS else {})
            for at, word in enumerate(others, 1)
        ]
        if named:
            # If there are no other words, the search for the text as typed has already found these players.
            found = dict.fromkeys(first_among(_with_all(prefix("word", longest), named), among, most), 0)
        if len(found) < most:
            for pk, level in _similar_players(spellings.of(longest), named, among, most).items():
                found.setdefault(pk, level)
    return found


def _similar_players(
    similar: dict[str, int], named: Sequence[QuerySet[PlayerWord]], among: QuerySet[Player], most: int
) -> dict[int, int]:
    """Return players among these with one of the similar words, and the number of edits of the closest of them."""
    size = 2 * most
    rows = _with_all(Q(word__in=[*similar, ""]), named)
    # This query runs even if there is no such word, so that no one can measure whether hidden players have one.
    first = list(rows.values_list("player_id", "word")[:size])
    found: dict[int, int] = {}
    if len(first) < size:
        meant = dict(
            Player.objects.filter(pk__in={pk for pk, _ in first} or {0}).values_list(
                "pk", Coalesce("merged_into_id", "pk")
            )
        )
        allowed = set(among.filter(pk__in=set(meant.values()) or {0}).values_list("pk", flat=True))
        for pk, word in sorted(first, key=lambda row: similar[row[1]]):
            if meant.get(pk) in allowed:
                found.setdefault(meant[pk], similar[word])
        return found
    for level in sorted(set(similar.values())):
        same = [word for word, count in similar.items() if count == level]
        if len(found) < most:
            for pk in first_among(_with_all(Q(word__in=same), named), among, most):
                found.setdefault(pk, level)
    return found


def _with_all(condition: Q, named: Sequence[QuerySet[PlayerWord]]) -> QuerySet[PlayerWord]:
    rows = PlayerWord.objects.filter(condition)
    for own in named:
        rows = rows.filter(Exists(own))
    return rows


def _named(word: str, similar: Iterable[str]) -> QuerySet[PlayerWord]:
    """Return the words of the outer query's player that begin with a word, or are one of those similar to it."""
    condition = Q(word__startswith=word) | Q(word__in=[*similar])
    return PlayerWord.objects.filter(condition, player=OuterRef("player_id"))
