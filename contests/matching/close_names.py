"""
Who among many is called nearly like whom: bounded work, whatever the names.

Comparing every pair would be 10,000,000,000 comparisons for two lists of 100,000. Instead each name gets
keys such that two names that `contests.matching.similarity` finds alike have one in common; only these are compared:

- the forms that may be equal (letters, look-alikes, sorted parts, the name);
- for misspelt handles of up to 18 letters, the handle with any two letters left out: an edit takes at most one letter
  from each side (Mor & Fraenkel 1982; SymSpell), so handles two edits apart have such a remainder in common;
- for longer ones, any five letters in a row: of three pieces of the other handle, at its beginning, middle and end and
  with a letter between them (a swap touches two letters), two edits leave one whole.

Keys are numbers in sorted arrays. A key that very many share tells little and costs much, so rare keys come first, and
what is beyond a fixed number of comparisons for each name is left out; `Found.is_cut` then says so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import OSA
from rapidfuzz.process import cpdist

from contests.matching.near_keys import INVERSE, keys_of_texts, mixed, powers, sums_of_letters
from contests.matching.similarity import LEAST_SHOWN, Forms, Likeness, allowed_distance, likeness

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    #: Keys, and the index of whose each is.
    Keys = tuple[NDArray[np.uint64], NDArray[np.int32] | NDArray[np.int64]]

#: Longest handle, in letters, whose remainders are made; the number of those grows with its square.
LONGEST_REMAINDERS = 18
#: Letters in a row that longer handles are found by.
GRAM = 5
#: Names that are looked for at once: what bounds the memory.
BLOCK = 4_096
#: Where fewer are asked about, the work allowed is that for so many.
FEW = 100


@dataclass(frozen=True, slots=True)
class Limits:
    """
    How much is compared at most.

    sharers
        A key that more of the known share is not looked at.
    pairs, kept
        For each name asked about, on average: pairs whose letters are compared; and, at most, pairs that are judged.
    """

    sharers: int = 500
    pairs: int = 150
    kept: int = 30

    @classmethod
    def of_names(cls, count: int) -> Limits:
        """Return limits that keep the work for so many names within some seconds, whatever they are."""
        return cls(pairs=min(150, max(60, 8_000_000 // count)), kept=min(30, max(10, 1_000_000 // count)))


@dataclass(slots=True)
class Found:
    """For each name asked about (index, likeness) of those of the known that are alike, in no order."""

    alike: list[list[tuple[int, Likeness]]]
    is_cut: bool = False


def find_alike(asked: Sequence[Forms], known: Sequence[Forms], limits: Limits | None = None) -> Found:
    """Return, for each of the asked, who among the known is alike enough to be shown."""
    found = Found([])
    if not asked or not known:
        return Found([[] for _ in asked])
    limits = limits or Limits.of_names(len(asked))
    salts: dict[str, int] = {}
    searches = [_EqualForms(known), _Remainders(known, salts), _Grams(known, salts)]
    for start in range(0, len(asked), BLOCK):
        _find_block(asked[start : start + BLOCK], known, searches, limits, found)
    return found


def _find_block(
    asked: Sequence[Forms], known: Sequence[Forms], searches: Sequence[_Search], limits: Limits, found: Found
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
    """Return the pairs whose letters differ by as few edits as their length allows."""
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
    """One kind of keys: those of the known, sorted, and how to make those of others."""

    is_of_letters = True

    def __init__(self, known: Sequence[Forms]) -> None:
        parts = [
            (keys, (owners + start).astype(np.int32))
            for start in range(0, len(known), BLOCK)
            for keys, owners in self.made(known[start : start + BLOCK])
        ]
        keys = np.concatenate([key for key, _ in parts]) if parts else np.empty(0, dtype=np.uint64)
        owners = np.concatenate([owner for _, owner in parts]) if parts else np.empty(0, dtype=np.int32)
        del parts
        self.owners = owners[np.argsort(keys)]
        keys.sort()
        self.keys = keys

    @abstractmethod
    def made(self, names: Sequence[Forms]) -> Iterator[Keys]:
        """Yield keys, and the places of the names that they are of."""

    def pairs(self, asked: Sequence[Forms], width: int, limits: Limits) -> tuple[NDArray[np.int64], bool]:
        """Return asked index * width + known index of who has a key in common, and whether some were left out."""
        parts = list(self.made(asked))
        if not parts or not len(self.keys):
            return np.empty(0, dtype=np.int64), False
        keys = np.concatenate([key for key, _ in parts])
        owners = np.concatenate([owner for _, owner in parts])
        # In order, so that each search begins where the memory of the one before is at hand: ten times as fast.
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
    """Whole forms; handles and names share their keys, because one's name may be the other's handle."""

    is_of_letters = False

    def __init__(self, known: Sequence[Forms]) -> None:
        self.is_known = True
        super().__init__(known)
        self.is_known = False

    def made(self, names: Sequence[Forms]) -> Iterator[Keys]:
        rows = np.arange(len(names), dtype=np.int32)
        yield keys_of_texts([name.plain for name in names], 0, rows)
        yield keys_of_texts([name.looks if len(name.plain) >= 4 else "" for name in names], 1, rows)
        yield keys_of_texts([name.parts for name in names], 2, rows)
        yield keys_of_texts([name.name for name in names], 2, rows)
        # A number added: who has one is looked for among those without, and the other way round.
        for salt, has_number in ((3, self.is_known), (4, not self.is_known)):
            letters = [n.letters if len(n.letters) >= 5 and bool(n.digits) == has_number else "" for n in names]
            yield keys_of_texts(letters, salt, rows)


class _OfLetters(_Search):
    """Keys of letters, salted by the digits: names with other digits are other players."""

    shortest, longest = 0, 0

    def __init__(self, known: Sequence[Forms], salts: dict[str, int]) -> None:
        self.salts = salts
        super().__init__(known)

    def made(self, names: Sequence[Forms]) -> Iterator[Keys]:
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
        """Yield keys of letters (rows of values, as many as `lengths` says) and the rows that they are of."""

    def _salt(self, digits: str) -> int:
        return self.salts.setdefault(digits, len(self.salts))


class _Remainders(_OfLetters):
    """What is left of a handle without none, one or two of its letters."""

    shortest, longest = 4, LONGEST_REMAINDERS

    def of_codes(self, values: NDArray[np.uint64], lengths: NDArray[np.int64]) -> Iterator[Keys]:
        whole, once, twice = (sums_of_letters(values, lengths, shift) for shift in range(3))
        rows = np.arange(len(values))
        yield whole[:, -1], rows
        for i in range(values.shape[1]):
            # As many letters are left out as the longer of two may differ by; of the shorter, one fewer is enough.
            some = rows[(lengths > i) & (lengths >= 5)]
            yield whole[some, i] + once[some, -1] - once[some, i + 1], some
            for k in range(i + 1, values.shape[1]):
                some = rows[(lengths > k) & (lengths >= 8)]
                middle = once[some, k] - once[some, i + 1]
                yield whole[some, i] + middle + twice[some, -1] - twice[some, k + 1], some


class _Grams(_OfLetters):
    """Letters in a row of long handles: all of them of the asked, three disjoint pieces of the known."""

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
