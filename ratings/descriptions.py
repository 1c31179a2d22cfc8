"""What people call the rating systems, and what each is good for."""

from __future__ import annotations

from dataclasses import dataclass

from ratings.systems import SYSTEMS


@dataclass(frozen=True, slots=True)
class Description:
    """
    title
        As a heading or in a list.
    in_words
        Within a sentence.
    good_for
        One sentence for who chooses: which contests it suits, and what speaks against it.
    """

    title: str
    in_words: str
    good_for: str


_DESCRIPTIONS = {
    "elo-mmr": Description(
        "Elo-MMR", "Elo-MMR",
        "Contests of many, of any size: the default. Remembers every result, and no single bad day ruins a rating.",
    ),
    "elo-mmr-infinity": Description(
        "Elo-MMR(∞)", "Elo-MMR(∞)",
        "As Elo-MMR, without memory of single results: a better place always means a higher rating for equals.",
    ),
    "elo-mmx": Description(
        "Elo-MMX", "Elo-MMX",
        "Contests of many in which performances are close to normal; one wild result can move a rating far.",
    ),
    "codeforces": Description(
        "Codeforces", "the Codeforces system",
        "The numbers of a familiar site. Ratings react quickly, to a lucky day too.",
    ),
    "topcoder": Description(
        "TopCoder", "the TopCoder system",
        "Continuing a series that was rated this way. Its volatility can reward losing on purpose.",
    ),
    "trueskill": Description(
        "TrueSkill", "TrueSkill",
        "Games of teams, with draws, or of a few players. Careful: newcomers climb as they become certain.",
    ),
    "trueskill-spb": Description(
        "TrueSkill (St. Petersburg)", "TrueSkill (St. Petersburg)",
        "TrueSkill for contests of hundreds of places. Ratings settle early and jump.",
    ),
    "glicko": Description(
        "Glicko", "Glicko",
        "Whole rounds, each counted as one game against the average opponent; simple and smooth.",
    ),
    "glicko2": Description(
        "Glicko-2", "Glicko-2",
        "Games of two in rating periods. In large fields it trusts one contest far too much.",
    ),
    "elo": Description(
        "Elo", "Elo",
        "Anybody can check it by hand, teams too: what one wins, others lose. Newcomers need dozens of contests.",
    ),
    "kreimeier": Description(
        "Kreimeier", "the Kreimeier system",
        "A closed club, teams too: newcomers start at the average, which never drifts. Shown from 0 to 10,000.",
    ),
    "ladder": Description(
        "Ladder", "the ladder",
        "A club ladder of positions: who wins takes the better place. It says nothing about by how much.",
    ),
}  # fmt: skip


def description_of(system: str) -> Description:
    """Return how a system is spoken of; one without an entry of its own by its name and its own first sentence."""
    if system in _DESCRIPTIONS:
        return _DESCRIPTIONS[system]
    words = (SYSTEMS[system].__doc__ or "").strip().partition("\n")[0] if system in SYSTEMS else ""
    return Description(system, system, words)
