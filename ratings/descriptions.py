"""What people call the rating systems, and what each is good for."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from ratings.systems import SYSTEMS


@dataclass(frozen=True, slots=True)
class Description:
    """
    title
        As a heading or in a list.
    in_words
        Within a sentence.
    good_for
        For who chooses: which contests it suits, and what speaks against it.
    how
        For who is rated: what a contest does to a rating.
    """

    title: str
    in_words: str
    good_for: str
    how: str = _("After each contest, ratings follow the order of finish.")


_COMPARED = _(
    "After each contest, every player's place is compared with everybody else's in the field: finishing ahead of "
    "strong players lifts a rating, and an uncertain rating moves further than a settled one."
)
_EXPECTED = _(
    "After each contest, a rating moves by how much better or worse the player did against the field than expected; "
    "what one wins, others lose."
)

_DESCRIPTIONS = {
    "elo-mmr": Description(
        "Elo-MMR", _("Elo-MMR"),
        _("Contests of many, of any size: the default. Remembers every result, and no single bad day ruins a rating."),
        _COMPARED,
    ),
    "elo-mmr-infinity": Description(
        "Elo-MMR(∞)", _("Elo-MMR(∞)"),
        _("As Elo-MMR, without memory of single results: a better place always means a higher rating for equals."),
        _COMPARED,
    ),
    "elo-mmx": Description(
        "Elo-MMX", _("Elo-MMX"),
        _("Contests of many in which performances are close to normal; one wild result can move a rating far."),
        _COMPARED,
    ),
    "codeforces": Description(
        "Codeforces", _("the Codeforces system"),
        _("The numbers of a familiar site. Ratings react quickly, to a lucky day too."),
        _("After each contest, a rating moves towards the one at which such a place was to be expected in this field."),
    ),
    "topcoder": Description(
        "TopCoder", _("the TopCoder system"),
        _("Continuing a series that was rated this way. Its volatility can reward losing on purpose."),
        _("After each contest, a rating moves towards the performance; first contests count most. The volatility says "
          "how much a player's performances vary."),
    ),
    "trueskill": Description(
        "TrueSkill", _("TrueSkill"),
        _("Games of teams, with draws, or of a few players. Careful: newcomers climb as they become certain."),
        _("After each contest, the belief on every skill follows from the order of finish of players or teams; ties "
          "count as draws, and an uncertain rating moves further than a settled one."),
    ),
    "trueskill-spb": Description(
        "TrueSkill (St. Petersburg)", _("TrueSkill (St. Petersburg)"),
        _("TrueSkill for contests of hundreds of places. Ratings settle early and jump."),
        _COMPARED,
    ),
    "glicko": Description(
        "Glicko", _("Glicko"),
        _("Whole rounds, each counted as one game against the average opponent; simple and smooth."),
        _("After each contest, a rating moves by how the player did against the field; beating those whose ratings are "
          "certain says more, and an uncertain rating moves further than a settled one."),
    ),
    "glicko2": Description(
        "Glicko-2", _("Glicko-2"),
        _("Games of two in rating periods. In large fields it trusts one contest far too much."),
        _("Each contest counts as games of everybody against everybody: beating strong players lifts a rating, and an "
          "uncertain rating moves further than a settled one."),
    ),
    "elo": Description(
        "Elo", _("Elo"),
        _("Anybody can check it by hand, teams too: what one wins, others lose. Newcomers need dozens of contests."),
        _EXPECTED,
    ),
    "kreimeier": Description(
        "Kreimeier", _("the Kreimeier system"),
        _("A closed club, teams too: newcomers start at the average, which never drifts. Shown from 0 to 10,000."),
        _("After each contest, a rating moves by how much better or worse the player did against the field than "
          "expected; what one wins, others lose. Newcomers start at the average of all players."),
    ),
    "ladder": Description(
        "Ladder", _("the ladder"),
        _("A club ladder of positions: who wins takes the better place. It says nothing about by how much."),
        _("Players hold positions. After each contest those who took part share out the positions that they held, in "
          "the order of finish; newcomers enter at the bottom."),
    ),
}  # fmt: skip


def description_of(system: str) -> Description:
    """
    Return how a system is spoken of, in the page's language; one without an entry by its name and first sentence.
    """
    if system in _DESCRIPTIONS:
        words = _DESCRIPTIONS[system]
        return Description(words.title, gettext(words.in_words), gettext(words.good_for), gettext(words.how))
    summary = (SYSTEMS[system].__doc__ or "").strip().partition("\n")[0] if system in SYSTEMS else ""
    return Description(system, system, summary)
