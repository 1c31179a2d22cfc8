"""
The story of a contest in up to three sentences, written from its numbers.

The first sentence says who won. The others are the most surprising facts: each has a surprise in bits, about the
logarithm (to base 2) of the number of contests until something similar happens again.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.utils.formats import date_format
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import mark_safe
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from contests.models import Contest
from ratings.queries.contest_kinds import is_of_games
from web.public.contest.summary import history_of, summary_of
from web.shared.names import first_name
from web.shared.numbers import MINUS, points
from web.shared.tags import nth, rating
from web.shared.teams import entrants_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from django.utils.safestring import SafeString

    from contests.models import Player
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.contest.summary import Entry, Extreme, History, Summary

#: Sentences after the first one, and the fewest bits of a fact worth a sentence.
MOST_FACTS, LEAST_BITS = 2, 0.5
#: Smaller fields have no favourite worth a sentence: in a field of two, one sentence names both winner and loser.
SMALLEST_FIELD = 3
#: A winner is “only” number four by rating, unless that is within this share of the field.
TOP_SEEDS, TOP_SHARE = 3, 0.1
#: A value at the beginning of a sentence.
_FIRST = re.compile(r"%\((\w+)\)s")
#: The least number of earlier contests whose fields a large or strong field has to exceed.
FEWEST_BEHIND = 5
#: The last field that was not smaller is worth naming if it is this long ago, or this many contests and in another
#: month. In a busy series, “the largest field since June” means something, but not “since the first of July”.
LONG_AGO, MANY_BETWEEN = timedelta(days=182), 10


def story_of(snapshot: SeriesSnapshot, contest: Contest) -> dict[str, Any]:
    """Return the sentences and the favourites of a rated contest for its page, in at most seven queries."""
    summary = summary_of(snapshot, contest)
    if summary is None:
        return {"story": [], "favourites": []}
    history = history_of(snapshot, contest)
    entrants = entrants_of(contest, summary.player_ids() | history.player_ids())
    since = {one.since for one in (history.strongest, history.largest) if one is not None and one.since is not None}
    contests = Contest.objects.in_bulk(since) if since else {}

    def link(player: Player, text: str) -> SafeString:
        address = player.get_absolute_url()
        return format_html('<bdi><a href="{}?series={}">{}</a></bdi>', address, snapshot.series.slug, text)

    def name(player_id: int) -> Name | str:
        entrant = entrants.get(player_id)
        return Name(*(link(entrant.player, form) for form in (entrant.in_sentence, entrant.opening))) if entrant else ""

    def person(player_id: int) -> SafeString | str:
        entrant = entrants.get(player_id)
        return link(entrant.player, first_name(entrant.player)) if entrant else ""

    has_favourites = summary.entries >= SMALLEST_FIELD and summary.known >= SMALLEST_FIELD
    return {
        "story": Story(snapshot, contest, summary, history, name, person, contests).sentences(),
        "favourites": [
            (entry, entrants[entry.player_id])
            for entry in summary.favourites
            if has_favourites and entry.player_id in entrants
        ],
    }


@dataclass(frozen=True, slots=True)
class Name:
    """The link to a player or team within a sentence, and at its beginning."""

    inside: SafeString
    opening: SafeString


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence with its place in the story and its surprise."""

    bits: float
    place: int
    sentence: SafeString


@dataclass(frozen=True, slots=True)
class Story:
    """
    The parts from which the sentences of a story are made.

    name
        Writes the link to a player, or to a team by the player who represents it.
    person
        Writes the link to a player, as a member of a team too: ratings are those of players.
    contests
        The contests of `history` by id.
    """

    snapshot: SeriesSnapshot
    contest: Contest
    summary: Summary
    history: History
    name: Callable[[int], Name | str]
    person: Callable[[int], SafeString | str]
    contests: Mapping[int, Contest]

    def sentences(self) -> list[SafeString]:
        """Return the sentences in the order in which to read them."""
        facts = [fact for fact in self._facts() if fact.bits >= LEAST_BITS]
        chosen = sorted(facts, key=lambda fact: -fact.bits)[:MOST_FACTS]
        return [self._opening(), *(fact.sentence for fact in sorted(chosen, key=lambda fact: fact.place))]

    def _opening(self) -> SafeString:
        summary, winners = self.summary, [self.name(entry.player_id) for entry in self.summary.winners]
        if summary.entries == 1:
            return tell(_("%(who)s was the only participant."), who=winners[0])
        if summary.is_tied and summary.entries == 2:
            return tell(_("%(first)s and %(second)s drew."), first=winners[0], second=winners[1])
        if summary.is_tied:
            return tell(_("All %(number)s participants shared first place."), number=points(summary.entries))
        if summary.winner_count == 2:
            return tell(_("%(first)s and %(second)s shared first place."), first=winners[0], second=winners[1])
        if summary.winner_count > 2:
            more = summary.winner_count - 2
            words = ngettext(
                "%(first)s, %(second)s and %(number)s other shared first place.",
                "%(first)s, %(second)s and %(number)s others shared first place.",
                more,
            )
            return tell(words, first=winners[0], second=winners[1], number=points(more))
        if summary.entries == 2:
            return self._duel(winners[0], self.name(summary.others[0].player_id))
        return self._victory(winners[0])

    def _duel(self, winner: Name | str, loser: Name | str) -> SafeString:
        streak = self.summary.career.streak if self.summary.career is not None else 0
        if streak < 2:
            return tell(_("%(who)s beat %(other)s."), who=winner, other=loser)
        if is_of_games(self.snapshot):
            words = _("%(who)s beat %(other)s and has now won %(number)s games in a row.")
        else:
            words = _("%(who)s beat %(other)s and has now won %(number)s contests in a row.")
        return tell(words, who=winner, other=loser, number=points(streak + 1))

    def _victory(self, winner: Name | str) -> SafeString:
        career = self.summary.career
        if career is None or not self.summary.known:
            return tell(_("%(who)s won."), who=winner)
        if career.streak:
            number = points(career.streak + 1)
            return tell(_("%(who)s has now won %(number)s contests in a row."), who=winner, number=number)
        if not career.contests:
            return tell(_("%(who)s won in their first contest."), who=winner)
        if career.wins:
            words = _("%(who)s won and now has %(number)s wins in this series.")
            return tell(words, who=winner, number=points(career.wins + 1))
        words = ngettext(
            "%(who)s won for the first time, after %(number)s contest without a win.",
            "%(who)s won for the first time, after %(number)s contests without a win.",
            career.contests,
        )
        return tell(words, who=winner, number=points(career.contests))

    def _facts(self) -> Iterator[Fact]:
        yield from self._favourite()
        yield from self._moves()
        yield from self._records()
        yield from self._field()
        yield from self._newcomers()

    def _favourite(self) -> Iterator[Fact]:
        summary = self.summary
        if not summary.favourites or summary.is_tied:
            return
        favourite, *others = summary.favourites
        if others and (others[0].seed == 1 or others[0].before == favourite.before):
            return  # several were number one by rating, or the shown ratings don't tell them apart
        if summary.entries == 2:
            if summary.known == 2 and favourite.rank > 1:
                words = _("By rating, %(who)s was the favourite, with %(rating)s against %(other)s.")
                other = points(summary.winners[0].before)
                yield Fact(1.0, 1, tell(words, who=self._who(favourite), rating=points(favourite.before), other=other))
            return
        if summary.known < SMALLEST_FIELD or summary.winner_count > 1:
            return
        seed = summary.winners[0].seed
        if favourite.rank == 1:
            yield Fact(LEAST_BITS, 1, tell(_("By rating, the winner was also the favourite.")))
        elif seed is not None and seed >= favourite.rank:
            words = _("Before the contest, the winner was only number %(seed)s of %(number)s by rating.")
            if seed <= TOP_SEEDS or seed <= TOP_SHARE * summary.known:
                words = _("Before the contest, the winner was number %(seed)s of %(number)s by rating.")
            yield Fact(math.log2(seed), 1, tell(words, seed=points(seed), number=points(summary.known)))
        else:
            words = _("The favourite by rating, %(who)s, finished %(place)s.")
            sentence = tell(words, who=self._who(favourite), place=nth(favourite.rank))
            yield Fact(math.log2(favourite.rank), 1, sentence)

    def _moves(self) -> Iterator[Fact]:
        rise, fall, summary = self.summary.rise, self.summary.fall, self.summary
        if summary.entries < SMALLEST_FIELD:
            return
        is_largest_ever = rise is not None and self.history.largest_rise == rise.player_id
        # Two sentences in a row don't begin with the same exception.
        is_one_sentence = rise is not None and summary.is_rise_beaten and summary.is_fall_beaten
        if rise is not None and fall is not None and is_one_sentence and not is_largest_ever:
            yield self._rise_and_fall(rise, fall)
        elif rise is not None:
            yield self._rise(rise, is_largest_ever=is_largest_ever)
        if fall is not None and not is_one_sentence:
            words = _("%(who)s lost the most: %(change)s, falling to %(rating)s.")
            if summary.is_fall_beaten:
                words = _("Not counting provisional ratings, %(who)s lost the most: %(change)s, falling to %(rating)s.")
            yield Fact(1.0, 3, tell(words, **self._values(fall)))

    def _rise(self, rise: Entry, *, is_largest_ever: bool) -> Fact:
        values = self._values(rise)
        if is_largest_ever:
            words = _("%(who)s made the largest gain in the history of this series: %(change)s, to %(rating)s.")
            if self.summary.is_rise_beaten or self.history.has_larger_rise:
                words = _(
                    "Not counting provisional ratings, %(who)s made the largest gain in the history of this series: "
                    "%(change)s, to %(rating)s."
                )
            return Fact(9.0, 2, tell(words, **values))
        if not self._is_promoted(rise):
            return Fact(3.0, 2, tell(most_gained(is_beaten=self.summary.is_rise_beaten), **values))
        words = _("%(who)s gained the most: %(change)s, rising to %(rating)s, and has reached the tier “%(tier)s”.")
        if self.summary.is_rise_beaten:
            words = _(
                "Not counting provisional ratings, %(who)s gained the most: %(change)s, rising to %(rating)s, and has "
                "reached the tier “%(tier)s”."
            )
        values["rating"] = points(rise.after)
        return Fact(4.0, 2, tell(words, **values, tier=self.snapshot.tier(rise.after).name))

    def _rise_and_fall(self, rise: Entry, fall: Entry) -> Fact:
        """Return one sentence for both if players with provisional ratings gained and lost more."""
        words = _(
            "Not counting provisional ratings, %(who)s gained the most: %(change)s, rising to %(rating)s; %(loser)s "
            "lost the most: %(loss)s, falling to %(left)s."
        )
        lost = self._values(fall)
        values = self._values(rise) | {"loser": lost["who"], "loss": lost["change"], "left": lost["rating"]}
        return Fact(4.0 if self._is_promoted(rise) else 3.0, 2, tell(words, **values))

    def _values(self, entry: Entry) -> dict[str, SafeString | str]:
        after = rating(self.snapshot, entry.after)
        return {"who": self.person(entry.player_id), "change": signed(entry.difference), "rating": after}

    def _is_promoted(self, rise: Entry) -> bool:
        return self.snapshot.tier(rise.after) != self.snapshot.tier(rise.before)

    def _records(self) -> Iterator[Fact]:
        history = self.history
        if history.highest_rating is not None and (who := self.person(history.highest_rating)):
            words = _("%(who)s reached the highest rating in the history of this series.")
            yield Fact(8.0, 4, tell(words, who=who))
        # A player's first ratings don't count as records. Beside a higher one, this sentence would look wrong.
        elif history.leader is not None and history.leader in self.summary.highest:
            who = self.person(history.leader)
            words = _("%(who)s became number one in this series.")
            yield Fact(5.0, 4, tell(words, who=who))

    def _field(self) -> Iterator[Fact]:
        facts = [
            *self._extreme(
                self.history.strongest,
                _("This was the strongest field of the series so far."),
                _("This was the strongest field since %(contest)s in %(month)s."),
            ),
            *self._extreme(
                self.history.largest,
                _("This was the largest field of the series so far."),
                _("This was the largest field since %(contest)s in %(month)s."),
            ),
        ]
        yield from sorted(facts, key=lambda fact: -fact.bits)[:1]

    def _extreme(self, found: Extreme | None, ever: str, since: str) -> Iterator[Fact]:
        if found is None or found.ahead_of < FEWEST_BEHIND:
            return
        bits = math.log2(found.ahead_of)
        if found.since is None:
            yield Fact(bits + 1, 5, tell(ever))
        elif (contest := self.contests.get(found.since)) is not None and self._is_long_ago(contest, found.ahead_of):
            link = format_html('<bdi><a href="{}">{}</a></bdi>', contest.get_absolute_url(), contest.name)
            month = date_format(localtime(contest.ends_at), pgettext("how a month is written", "F Y"))
            yield Fact(bits, 5, tell(since, contest=link, month=month))

    def _is_long_ago(self, earlier: Contest, contests_between: int) -> bool:
        now, then = localtime(self.contest.ends_at), localtime(earlier.ends_at)
        is_same_month = (now.year, now.month) == (then.year, then.month)
        return now - then >= LONG_AGO or (contests_between >= MANY_BETWEEN and not is_same_month)

    def _newcomers(self) -> Iterator[Fact]:
        summary, best = self.summary, self.summary.best_newcomer
        if best is None or summary.known < SMALLEST_FIELD:
            return
        if 1 < best.rank <= 3:
            words = _("%(who)s finished %(place)s in their first contest.")
            bits = math.log2(summary.entries / best.rank)
            yield Fact(bits, 6, tell(words, who=self._who(best), place=nth(best.rank)))
        else:
            words = ngettext(
                "%(number)s participant was rated for the first time.",
                "%(number)s participants were rated for the first time.",
                summary.newcomers,
            )
            share = summary.newcomers / (summary.newcomers + summary.known)
            yield Fact(3 * share, 6, tell(words, number=points(summary.newcomers)))

    def _who(self, entry: Entry) -> Name | str:
        return self.name(entry.player_id)


def tell(words: str, **values: Name | SafeString | str) -> SafeString:
    """Return a sentence with its values; both are escaped unless they are markup already."""
    first = _FIRST.match(words)
    opening = first[1] if first is not None else ""
    texts = {
        name: (value.opening if name == opening else value.inside) if isinstance(value, Name) else value
        for name, value in values.items()
    }
    return mark_safe(conditional_escape(words) % {name: conditional_escape(text) for name, text in texts.items()})


def most_gained(*, is_beaten: bool) -> str:
    """Return the words for the largest gain, and which ratings count if a provisional one gained more."""
    if is_beaten:
        return _("Not counting provisional ratings, %(who)s gained the most: %(change)s, rising to %(rating)s.")
    return _("%(who)s gained the most: %(change)s, rising to %(rating)s.")


def signed(change: int) -> SafeString:
    """Write a rating change with its sign, in the colour of gains and losses."""
    name, sign = ("up", "+") if change > 0 else ("down", MINUS)
    return format_html('<span class="change change-{}">{}{}</span>', name, sign, points(abs(change)))
