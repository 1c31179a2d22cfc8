"""Changes of the rows of a contest: correct, add, remove and reassign."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext, pgettext

from contests.changes.base import Change, ChangeDescription, contest_of, page_of
from contests.errors import ContestError
from contests.formats.base import ParsedStanding
from contests.handles import handle_key
from contests.models import Standing, StandingStatus
from contests.services.correcting import Correction, correct_standings, corrected_name, positions_after
from contests.services.participants import (
    ROW_GONE,
    add_standing,
    as_member,
    reassign_standing,
    remove_standing,
    teammate,
)
from contests.services.standings import PlayerRegister, decided_by_scores, positions_of
from contests.wording import clock, grouped, listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from django.contrib.auth.models import User

    from contests.models import Contest, Series

    #: The places that organizers see, by the ids of the rows.
    Positions = Mapping[int, int | None]


@dataclass(frozen=True)
class CorrectStandings(Change):
    """
    Correct rows of a contest.

    corrections
        One dict for each row: its id as "standing", and the fields of a Correction.
    """

    kind = "standing.correct"

    contest_id: int
    version: int
    corrections: list[dict[str, Any]]

    @classmethod
    def of(cls, contest: Contest, corrections: dict[int, Correction], *, version: int, reason: str) -> Self:
        """Return the change for corrections by the ids of their rows."""
        rows = [{"standing": pk, **asdict(correction)} for pk, correction in corrections.items()]
        return cls(contest.pk, version, rows, reason=reason)

    def describe(self) -> ChangeDescription:
        contest = contest_of(self.contest_id)
        rows = {row.pk: row for row in contest.standings.filter(pk__in=self._by_row()).select_related("player")}
        everyone = list(contest.standings.all())
        positions, by_scores = positions_of(everyone), decided_by_scores(everyone)
        by_id, corrections = {row.pk: row for row in everyone}, self._by_row()
        after = positions
        if not by_scores:
            after = positions_after(everyone, [(by_id[pk], each) for pk, each in corrections.items() if pk in by_id])
        corrected = {pk: corrected_name(rows[pk], each) for pk, each in corrections.items() if pk in rows}
        differences = [
            difference for pk, name in corrected.items()
            for difference in _differences(name, rows[pk], corrections[pk], positions, after)
        ]  # fmt: skip
        if not corrected:
            raise ContestError(
                gettext("Someone has replaced the standings of “%(name)s”; the rows no longer exist. Reload the page.")
                % {"name": contest.name}
            )
        button, title, done = self._verbs()
        names = {"players": listed(list(dict.fromkeys(corrected.values()))), "name": contest.name}
        return ChangeDescription(
            title % names,
            button,
            done % names,
            page_of(contest),
            [contest.series],
            contest,
            warnings=[] if by_scores else self._warnings(rows, corrected, positions),
            differences=differences,
        )

    def _warnings(self, rows: Mapping[int, Standing], corrected: Mapping[int, str], positions: Positions) -> list[str]:
        """Return a warning for each row whose score or time changes but not its place."""
        of_score = gettext(
            "The score of %(handle)s changes, but not the place, because places in this contest don’t follow from "
            "scores. If %(handle)s should move, go back and change the place too."
        )
        of_time = gettext(
            "The time of %(handle)s changes, but not the place. If %(handle)s should move, go back and change the "
            "place too."
        )
        found = []
        for pk, correction in self._by_row().items():
            row = rows.get(pk)
            if row is None or correction.status != StandingStatus.RANKED:
                continue
            if not correction.keeps_place and correction.place != positions[pk]:
                continue
            if None not in (correction.score, row.score) and correction.score != row.score:
                found.append(of_score % {"handle": corrected[pk]})
            if row.contest.has_times and correction.sets_penalty and correction.penalty != row.penalty:
                found.append(of_time % {"handle": corrected[pk]})
        return found

    def apply(self, *, actor: User | None) -> None:
        corrected = correct_standings(
            self.contest_id, corrections=self._by_row(), reason=self.reason, version=self.version, actor=actor
        )
        if not corrected:
            raise ContestError(gettext("Nothing changed: the rows already have these values."))

    def _by_row(self) -> dict[int, Correction]:
        return {
            row["standing"]: Correction(**{name: value for name, value in row.items() if name != "standing"})
            for row in self.corrections
        }

    def _verbs(self) -> tuple[str, str, str]:
        """Return the button, and the title and the message with placeholders for the players and the contest's name."""
        statuses = {row["status"] for row in self.corrections}
        if statuses == {StandingStatus.DISQUALIFIED}:
            return (
                gettext("Disqualify"),
                gettext("Disqualify %(players)s in %(name)s"),
                gettext("Disqualified %(players)s in “%(name)s”."),
            )
        if statuses == {StandingStatus.UNOFFICIAL}:
            return (
                gettext("Mark as not ranked"),
                gettext("Mark %(players)s as not ranked in %(name)s"),
                gettext("Marked %(players)s as not ranked in “%(name)s”."),
            )
        return (
            pgettext("button", "Correct"),
            gettext("Correct the results of %(players)s in %(name)s"),
            gettext("Corrected the results of %(players)s in “%(name)s”."),
        )


@dataclass(frozen=True)
class AddStanding(Change):
    """
    Add a row to a contest.

    row
        The fields of a Correction.
    """

    kind = "standing.add"

    contest_id: int
    version: int
    handle: str
    team: str
    row: dict[str, Any]

    @classmethod
    def of(cls, contest: Contest, handle: str, correction: Correction, *, team: str, version: int, reason: str) -> Self:
        """Return the change that adds this row."""
        return cls(contest.pk, version, handle, team, asdict(correction), reason=reason)

    def describe(self) -> ChangeDescription:
        contest = contest_of(self.contest_id)
        status = StandingStatus(self.row["status"]).label
        rows = list(contest.standings.all())
        mate = teammate(rows, self.team)
        said = as_member(Correction(**self.row), mate)
        new = Standing(contest=contest, team=self.team, place=mate.place if mate is not None else None)
        place = _place_in_words(new, {}, positions_after([*rows, new], [(new, said)]))
        values = [
            (gettext("status"), status),
            (gettext("place"), place),
            (gettext("score"), said.score),
            (gettext("share"), said.share),
            (gettext("handicap"), said.handicap),
            _penalty(contest, said.penalty),
        ]
        names = {"handle": self.handle, "name": contest.name}
        return ChangeDescription(
            gettext("Add %(handle)s to %(name)s") % names,
            gettext("Add"),
            gettext("Added %(handle)s to “%(name)s”.") % names,
            page_of(contest),
            [contest.series],
            contest,
            lines_about_new(contest.series, [ParsedStanding.of_handle(self.handle)]),
            differences=[(f"{self.handle}: {what}", None, value) for what, value in values if value is not None],
        )

    def apply(self, *, actor: User | None) -> None:
        add_standing(
            self.contest_id, handle=self.handle, team=self.team, correction=Correction(**self.row),
            reason=self.reason, version=self.version, actor=actor,
        )  # fmt: skip


@dataclass(frozen=True)
class RemoveStanding(Change):
    """Remove a row from a contest."""

    kind = "standing.remove"

    contest_id: int
    version: int
    standing_id: int

    def describe(self) -> ChangeDescription:
        contest = contest_of(self.contest_id)
        row = _row_of(contest, self.standing_id)
        names = {"handle": row.player.handle, "name": contest.name}
        return ChangeDescription(
            gettext("Remove %(handle)s from %(name)s") % names,
            gettext("Remove"),
            gettext("Removed %(handle)s from “%(name)s”.") % names,
            page_of(contest),
            [contest.series],
            contest,
            [gettext("The row of %(handle)s will no longer be shown, as if %(handle)s had not taken part.") % names],
            is_dangerous=True,
        )

    def apply(self, *, actor: User | None) -> None:
        remove_standing(self.standing_id, reason=self.reason, version=self.version, actor=actor)


@dataclass(frozen=True)
class ReassignStanding(Change):
    """Give a row of a contest to another player."""

    kind = "standing.reassign"

    contest_id: int
    version: int
    standing_id: int
    handle: str

    def describe(self) -> ChangeDescription:
        contest = contest_of(self.contest_id)
        row = _row_of(contest, self.standing_id)
        names = {"former": row.player.handle, "handle": self.handle, "name": contest.name}
        return ChangeDescription(
            gettext("Move the result of %(former)s in %(name)s to %(handle)s") % names,
            gettext("Move the result"),
            gettext("Moved the result of %(former)s in “%(name)s” to %(handle)s.") % names,
            page_of(contest),
            [contest.series],
            contest,
            lines_about_new(contest.series, [ParsedStanding.of_handle(self.handle)]),
        )

    def apply(self, *, actor: User | None) -> None:
        reassign_standing(self.standing_id, handle=self.handle, reason=self.reason, version=self.version, actor=actor)


def _row_of(contest: Contest, standing_id: int) -> Standing:
    row = Standing.objects.select_related("player").filter(pk=standing_id, contest=contest).first()
    if row is None:
        raise ContestError(str(ROW_GONE))
    return row


def lines_about_new(series: Series, rows: Sequence[ParsedStanding]) -> list[str]:
    """Return a line for each row whose handle no player of the community has."""
    known = PlayerRegister(series.community_id).find(rows)
    text = gettext("Podium does not know “%(handle)s” yet, so it will create a new player.")
    return [text % {"handle": row.handle} for row in rows if handle_key(row.handle) not in known]


def _differences(
    name: str, row: Standing, correction: Correction, positions: Positions, after: Positions
) -> list[tuple[str, object, object]]:
    """Return the values that a correction changes, as (name and field, before, after)."""
    values: list[tuple[str, object, object]] = [
        (gettext("status"), row.get_status_display(), StandingStatus(correction.status).label),
        (gettext("place"), positions[row.pk], _place_in_words(row, positions, after)),
        (gettext("score"), row.score, correction.score),
        (gettext("share"), row.share, correction.share),
        (gettext("handicap"), row.handicap, correction.handicap),
    ]
    if correction.sets_penalty:
        what, before = _penalty(row.contest, row.penalty)
        values.append((what, before, _penalty(row.contest, correction.penalty)[1]))
    return [(f"{name}: {what}", before, after) for what, before, after in values if before != after]


def _place_in_words(row: Standing, positions: Positions, after: Positions) -> object:
    """Return the place of a row after a change; if the place is another one, with the players who then share it."""
    place = after[row.pk]
    if place is None or place == positions.get(row.pk):
        return place
    there = [pk for pk, position in after.items() if position == place and pk != row.pk]
    players = Standing.objects.filter(pk__in=there).select_related("player")
    handles = [each.player.handle for each in players if not row.team or each.team != row.team]
    if not handles:
        return place
    return gettext("%(place)s, shared with %(players)s") % {"place": grouped(place), "players": listed(handles)}


def _penalty(contest: Contest, value: float | None) -> tuple[str, object]:
    """Return the name and the value of a penalty, which is a time in some contests."""
    if contest.has_times:
        return pgettext("of a race", "time"), None if value is None else clock(value)
    return gettext("penalty"), value
