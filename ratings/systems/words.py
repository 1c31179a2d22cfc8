"""Texts about rating systems, which each system declares. They are marked for translation; pages translate them."""

from dataclasses import dataclass


def gettext_noop(message: str) -> str:
    """Mark a text for translation. The library knows nothing of Django."""
    return message


#: How several systems say what a contest does to a rating.
COMPARED = gettext_noop(
    "After each contest, Podium compares every player's place with everyone else's. Finishing ahead of "
    "strong players raises a rating, and an uncertain rating moves further than a settled one."
)
EXPECTED = gettext_noop(
    "After each contest, a rating moves by how much better or worse the player did than expected; what "
    "one player wins, the others lose."
)
_FOLLOWS = gettext_noop("After each contest, ratings follow the order of finish.")

#: How a change adds up: from a performance, and from the games of a contest. %(before)s is the rating before.
MEAN_WITH_PERFORMANCE = gettext_noop(
    "The new rating is a weighted mean of the previous rating, %(before)s, and the performance."
)
SUM_OF_GAMES = gettext_noop(
    "The change is the sum of small games against every other player: the score of each minus the expected score."
)
INFERRED_TOGETHER = gettext_noop(
    "This system infers all strengths together from the order of finish, so its change can't be split by "
    "opponent: neighbours in the table count most, and through them everyone else."
)


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of one system.

    title
        As a heading or in a list.
    in_words
        Within a sentence.
    good_for
        For organizers who choose a system: which contests it suits, and what speaks against it.
    how
        For players: what a contest does to a rating.
    adds_up
        For players: how a change is the sum of its parts; may name the rating before as %(before)s.
    """

    title: str
    in_words: str
    good_for: str
    how: str = _FOLLOWS
    adds_up: str = SUM_OF_GAMES
