"""
Find similar names in two long lists, with a limited amount of work.

Two lists of 100,000 names have 10,000,000,000 pairs. So each name gets keys such that two names that
`contests.matching.similarity` finds alike share one, and only names that share a key are compared:

- the forms that may be equal (letters, look-alikes, sorted parts, the name);
- for misspelt handles of up to 18 letters, the handle without any two letters: an edit removes at most one letter from
  each side (Mor & Fraenkel 1982; SymSpell), so handles two edits apart share such a remainder;
- for longer handles, any five consecutive letters: the other handle has three pieces at its beginning, middle and end,
  separated by a letter (a swap changes two letters), and two edits leave one of them unchanged;
- for handles that are the other's name, misspelt, the same of the sorted parts of handles and names.

Keys are numbers in sorted arrays. A key that very many names share is of little use and slow, so rare keys come
first, and comparisons beyond a fixed number per name are skipped; `Found.is_cut` then says so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from rapidfuzz.distance import OSA
from rapidfuzz.process import cpdist

from contests.matching.similarity import (
    INVERSE,
    LEAST_SHOWN,
    Forms,
    Likeness,
    allowed_distance,
    keys_of_texts,
    letters_of_parts,
    likeness,
    mixed,
    powers,
    sums_of_letters,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    #: Keys, and for each key the index of its name.
    Keys = tuple[NDArray[np.uint64], NDArray[np.int32] | NDArray[np.int64]]

#: The greatest length of a handle that is found by remainders; their number grows with the square of the length.
LONGEST_REMAINDERS = 18
#: The number of consecutive letters by which longer handles are found.
GRAM = 5
#: The number of names processed at once, which limits the memory.
BLOCK = 4_096
#: For fewer names than this, as much work is allowed as for this many.
FEW = 100


@dataclass(frozen=True, slots=True)
class Limits:
    """
    Limits of the work.

    sharers
        The greatest number of known names that share a key; keys with more are skipped.
    pairs
        The number of pairs per new name whose letters are compared, on average.
    kept
        The greatest number of pairs per new name whose similarity is computed.
    """

    sharers: int = 500
    pairs: int = 150
    kept: int = 30

    @classmethod
    def of_names(cls, count: int) -> Limits:
        """Return limits that keep the work for this number of names within seconds, whatever the names."""
        return cls(pairs=min(150, max(60, 8_000_000 // count)), kept=min(30, max(10, 1_000_000 // count)))


@dataclass(slots=True)
class Found:
    """The result: for each new name, (index, likeness) of the similar known names, unsorted."""

    alike: list[list[tuple[int, Likeness]]]
    is_cut: bool = False


def find_alike(
    asked: Sequence[Forms], known: Sequence[Forms], limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
) -> Found:  # fmt: skip
    """
    Return, for each new name, the known names that are similar enough to be suggested.

    progress
        Called with the number of new names done.
    """
    found = Found([])
    if not asked or not known:
        return Found([[] for _ in asked])
    limits = limits or Limits.of_names(len(asked))
    salts: dict[str, int] = {}
    searches: list[_Search | _Crossed] = [
        _EqualForms(known), _Remainders(known, salts), _Grams(known, salts),
        _Crossed(known, "parts", "name"), _Crossed(known, "name", "parts"),
    ]  # fmt: skip
    for start in range(0, len(asked), BLOCK):
        _find_block(asked[start : start + BLOCK], known, searches, limits, found)
        if progress is not None:
            progress(min(start + BLOCK, len(asked)))
    return found


def _find_block(
    asked: Sequence[Forms], known: Sequence[Forms], searches: Sequence[_Search | _Crossed], limits: Limits, found: Found
) -> None:
    pairs: list[NDArray[np.int64]] = []
    for search in searches:
        candidates, is_cut = search.pairs(asked, len(known), limits)
        found.is_cut |= is_cut
        if search.is_of_letters:
            candidates = _near(candidates, asked, known)
        pairs.append(candidates)
    together = np.unique(np.concatenate(pairs))
    at, other = np.divmod(together, len(known))
    counts = np.bincount(at, minlength=len(asked))
    rank = np.arange(len(at)) - np.repeat(np.cumsum(counts) - counts, counts)
    found.is_cut |= bool((counts > limits.kept).any())
    judged = rank < limits.kept
    alike: list[list[tuple[int, Likeness]]] = [[] for _ in asked]
    for i, k in zip(at[judged].tolist(), other[judged].tolist(), strict=True):
        result = likeness(asked[i], known[k])
        if result is not None and result.similarity >= LEAST_SHOWN:
            alike[i].append((k, result))
    found.alike += alike


def _near(pairs: NDArray[np.int64], asked: Sequence[Forms], known: Sequence[Forms]) -> NDArray[np.int64]:
    """Return the pairs whose letters differ by no more edits than their length allows."""
    near = []
    for start in range(0, len(pairs), 500_000):
        part = pairs[start : start + 500_000]
        at, other = np.divmod(part, len(known))
        ones = [asked[i].letters for i in at.tolist()]
        others = [known[k].letters for k in other.tolist()]
        distance = cpdist(ones, others, scorer=OSA.distance, score_cutoff=2, dtype=np.uint8, workers=1)
        longer = np.fromiter((max(len(a), len(b)) for a, b in zip(ones, others, strict=True)), np.int64, len(part))
        near.append(part[distance <= _ALLOWED[np.minimum(longer, len(_ALLOWED) - 1)]])
    return np.concatenate(near) if near else pairs


_ALLOWED = np.array([allowed_distance(letters) for letters in range(20)])


class _Search(ABC):
    """One kind of keys: the sorted keys of the known names, and the method that makes keys."""

    is_of_letters = True

    def __init__(self, known: Sequence[Forms]) -> None:
        parts = [
            (keys, (owners + start).astype(np.int32))
            for start in range(0, len(known), BLOCK)
            for keys, owners in self.make(known[start : start + BLOCK])
        ]
        keys = np.concatenate([key for key, _ in parts]) if parts else np.empty(0, dtype=np.uint64)
        owners = np.concatenate([owner for _, owner in parts]) if parts else np.empty(0, dtype=np.int32)
        del parts
        self.owners = owners[np.argsort(keys)]
        keys.sort()
        self.keys = keys

    @abstractmethod
    def make(self, names: Sequence[Forms]) -> Iterator[Keys]:
        """Yield keys, and for each key the index of its name."""

    def pairs(self, asked: Sequence[Forms], width: int, limits: Limits) -> tuple[NDArray[np.int64], bool]:
        """Return new index * width + known index of the pairs that share a key, and whether some were skipped."""
        parts = list(self.make(asked))
        if not parts or not len(self.keys):
            return np.empty(0, dtype=np.int64), False
        keys = np.concatenate([key for key, _ in parts])
        owners = np.concatenate([owner for _, owner in parts])
        # Sorted, so that successive searches access nearby memory, which is ten times as fast.
        order = np.argsort(keys)
        keys, owners = keys[order], owners[order]
        first = np.searchsorted(self.keys, keys, side="left")
        count = np.searchsorted(self.keys, keys, side="right") - first
        hit = np.flatnonzero(count)
        order = hit[np.argsort(count[hit], kind="stable")]
        total = np.cumsum(count[order])
        within = (total <= limits.pairs * max(len(asked), FEW)) & (count[order] <= limits.sharers)
        chosen = order[within]
        lengths = count[chosen]
        offsets = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        other = self.owners[np.repeat(first[chosen], lengths) + offsets]
        return np.unique(np.repeat(owners[chosen].astype(np.int64), lengths) * width + other), not within.all()


class _EqualForms(_Search):
    """Whole forms; handles and names share keys, because one player's name may be the other's handle."""

    is_of_letters = False

    def __init__(self, known: Sequence[Forms]) -> None:
        self.is_known = True
        super().__init__(known)
        self.is_known = False

    def make(self, names: Sequence[Forms]) -> Iterator[Keys]:
        rows = np.arange(len(names), dtype=np.int32)
        yield keys_of_texts([name.plain for name in names], 0, rows)
        yield keys_of_texts([name.looks for name in names], 1, rows)
        yield keys_of_texts([name.parts for name in names], 2, rows)
        yield keys_of_texts([name.name for name in names], 2, rows)
        # A number added: names with a number are compared with names without one, and vice versa.
        for salt, has_number in ((3, self.is_known), (4, not self.is_known)):
            letters = [n.letters if len(n.letters) >= 5 and bool(n.digits) == has_number else "" for n in names]
            yield keys_of_texts(letters, salt, rows)


class _OfLetters(_Search):
    """Keys of letters, salted with the digits, because different digits mean different players."""

    shortest, longest = 0, 0

    def __init__(self, known: Sequence[Forms], salts: dict[str, int]) -> None:
        self.salts = salts
        super().__init__(known)

    def make(self, names: Sequence[Forms]) -> Iterator[Keys]:
        fit = [i for i, name in enumerate(names) if self.shortest <= len(name.letters) <= self.longest]
        if not fit:
            return
        letters = [names[i].letters for i in fit]
        lengths = np.fromiter(map(len, letters), np.int64, len(fit))
        width = int(lengths.max())
        codes = np.array(letters, dtype=f"U{width}").view(np.uint32).reshape(len(fit), width)
        salt = np.fromiter((self._salt(names[i].digits) for i in fit), np.uint64, len(fit))
        for keys, chosen in self.of_codes(mixed(codes.astype(np.uint64) + np.uint64(1)), lengths):
            yield keys + mixed(salt[chosen]), np.array(fit, dtype=np.int32)[chosen]

    @abstractmethod
    def of_codes(self, values: NDArray[np.uint64], lengths: NDArray[np.int64]) -> Iterator[Keys]:
        """Yield keys of letters (rows of values with these `lengths`), and for each key its row."""

    def _salt(self, digits: str) -> int:
        return self.salts.setdefault(digits, len(self.salts))


class _Remainders(_OfLetters):
    """The remainders of a handle without zero, one or two of its letters."""

    shortest, longest = 4, LONGEST_REMAINDERS

    def of_codes(self, values: NDArray[np.uint64], lengths: NDArray[np.int64]) -> Iterator[Keys]:
        whole, once, twice = (sums_of_letters(values, lengths, shift) for shift in range(3))
        rows = np.arange(len(values))
        yield whole[:, -1], rows
        for i in range(values.shape[1]):
            # Leave out as many letters as the longer handle allows edits; for the shorter one, one fewer is enough.
            some = rows[(lengths > i) & (lengths >= 5)]
            yield whole[some, i] + once[some, -1] - once[some, i + 1], some
            for k in range(i + 1, values.shape[1]):
                some = rows[(lengths > k) & (lengths >= 8)]
                middle = once[some, k] - once[some, i + 1]
                yield whole[some, i] + middle + twice[some, -1] - twice[some, k + 1], some


class _Grams(_OfLetters):
    """Consecutive letters of long handles: all runs of new handles, and three separate runs of known ones."""

    shortest, longest = LONGEST_REMAINDERS - 1, 10**6

    def __init__(self, known: Sequence[Forms], salts: dict[str, int]) -> None:
        self.is_known = True
        super().__init__(known, salts)
        self.is_known = False

    def of_codes(self, values: NDArray[np.uint64], lengths: NDArray[np.int64]) -> Iterator[Keys]:
        rows = np.arange(len(values))
        sums = sums_of_letters(values, lengths, 0)
        inverse = powers(INVERSE, values.shape[1] + 1)
        if self.is_known:
            for begin in (np.zeros_like(lengths), (lengths - GRAM) // 2, lengths - GRAM):
                yield (sums[rows, begin + GRAM] - sums[rows, begin]) * inverse[begin], rows
            return
        for i in range(values.shape[1] - GRAM + 1):
            some = rows[lengths >= i + GRAM]
            yield (sums[some, i + GRAM] - sums[some, i]) * inverse[i], some


class _Crossed:
    """Handles of one list that are misspelt names of the other: the parts of both, sorted and joined."""

    is_of_letters = False

    def __init__(
        self, known: Sequence[Forms], asked_form: Literal["parts", "name"], known_form: Literal["parts", "name"]
    ) -> None:
        self.asked_form = asked_form
        self.known, self.owners = _joined(known, known_form)
        self.searches = [_Remainders(self.known, {}), _Grams(self.known, {})]

    def pairs(self, asked: Sequence[Forms], width: int, limits: Limits) -> tuple[NDArray[np.int64], bool]:
        """
        Return new index * width + known index of the pairs, and False.

        Skipped pairs need no warning: keys that many names share are those of a first name, and others are rarer.
        """
        names, owners = _joined(asked, self.asked_form)
        pairs = [np.empty(0, dtype=np.int64)]
        for search in self.searches if names and self.known else ():
            found, _ = search.pairs(names, len(self.known), limits)
            at, other = np.divmod(_near(found, names, self.known), len(self.known))
            pairs.append(owners[at] * width + self.owners[other])
        return np.unique(np.concatenate(pairs)), False


def _joined(names: Sequence[Forms], form: Literal["parts", "name"]) -> tuple[list[Forms], NDArray[np.int64]]:
    """Return the sorted parts of handles or names as if they were handles, and the index of each one's player."""
    letters = [letters_of_parts(getattr(name, form)) for name in names]
    filled = [i for i, text in enumerate(letters) if text]
    return [Forms("", letters[i], "", "", "", "", "") for i in filled], np.array(filled, dtype=np.int64)
