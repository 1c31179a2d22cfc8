"""Changes of contests: finalize, describe, delete and restore."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext, ngettext, pgettext

from contests.changes.base import Change, ChangeDescription, contest_of, page_of
from contests.errors import ContestError
from contests.models import Contest, ContestState, Standing, StandingStatus
from contests.providers import ineligible_players
from contests.queries.amendments import FIELDS, WORDS
from contests.services.contests import delete_contest, finalize_contest, needs_second_person, restore_contest
from contests.services.describing import ContestDescription, describe_contest, description_as_json, is_in_future
from contests.wording import grouped, in_a_row, moment_in_words

if TYPE_CHECKING:
    from typing import Self

    from django.contrib.auth.models import User


_MOMENTS = ("starts_at", "ends_at")


@dataclass(frozen=True)
class FinalizeContest(Change):
    """Finalize a draft."""

    kind = "contest.finalize"

    contest_id: int
    version: int

    def describe(self) -> ChangeDescription:
        contest = contest_of(self.contest_id)
        lines = _game_lines(contest) if contest.is_event else []
        lines += _participant_lines(contest)
        if contest.asked_by is not None:
            lines.append(gettext("%(who)s requested finalization.") % {"who": contest.asked_by.get_username()})
        return ChangeDescription(
            gettext("Finalize %(name)s") % {"name": contest.name},
            pgettext("button", "Finalize"),
            gettext("“%(name)s” is finalized.") % {"name": contest.name},
            page_of(contest),
            [contest.series],
            contest,
            lines,
        )

    def apply(self, *, actor: User | None) -> None:
        finalize_contest(self.contest_id, version=self.version, actor=actor)

    def only_asks(self, actor: User) -> bool:
        """Whether this user can only request finalizing, because the series needs a second person."""
        return needs_second_person(contest_of(self.contest_id), actor)


@dataclass(frozen=True)
class DescribeContest(Change):
    """
    Change the description of a finalized contest.

    description
        The fields of a ContestDescription; times in ISO 8601.
    """

    kind = "contest.describe"

    contest_id: int
    version: int
    description: dict[str, Any]

    @classmethod
    def of(cls, contest: Contest, description: ContestDescription, *, version: int, reason: str) -> Self:
        fields = description_as_json(description)
        plain = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in fields.items()}
        return cls(contest.pk, version, plain, reason=reason)

    def describe(self) -> ChangeDescription:
        contest = contest_of(self.contest_id)
        described = self._described()
        before, after = description_as_json(contest), description_as_json(described)
        changed = [(WORDS[name], before[name], value) for name, value in after.items() if before[name] != value]
        fields = [FIELDS[name] for name, value in after.items() if before[name] != value]
        what = in_a_row([str(name) for name, _, _ in changed]) or gettext("nothing")
        names = {"what": what, "name": contest.name}
        return ChangeDescription(
            gettext("Change %(name)s") % names,
            pgettext("button", "Change"),
            gettext("Changed “%(name)s”: %(what)s.") % names,
            page_of(contest),
            [contest.series],
            contest,
            differences=[(str(field), old, new) for field, (_, old, new) in zip(fields, changed, strict=True)],
            warnings=_warnings_about_end(contest, described),
        )

    def apply(self, *, actor: User | None) -> None:
        describe_contest(
            self.contest_id, description=self._described(), reason=self.reason, version=self.version, actor=actor
        )

    def _described(self) -> ContestDescription:
        moments = {
            name: datetime.fromisoformat(self.description[name]) for name in _MOMENTS if self.description.get(name)
        }
        return ContestDescription(**{**self.description, **moments})


@dataclass(frozen=True)
class DeleteContest(Change):
    """Delete a contest from its series."""

    kind = "contest.delete"

    contest_id: int
    version: int

    def describe(self) -> ChangeDescription:
        contest = contest_of(self.contest_id)
        text = gettext("The contest and its %(results)s will no longer be shown. You can restore it later.")
        lines = [text % {"results": _results_of(contest)}]
        return ChangeDescription(
            gettext("Delete %(name)s") % {"name": contest.name},
            gettext("Delete"),
            gettext("“%(name)s” has been deleted.") % {"name": contest.name},
            page_of(contest),
            [contest.series],
            None,
            lines,
            is_dangerous=True,
            after=reverse("organize:series", args=[contest.series]),
        )

    def apply(self, *, actor: User | None) -> None:
        delete_contest(self.contest_id, reason=self.reason, version=self.version, actor=actor)


@dataclass(frozen=True)
class RestoreContest(Change):
    """Restore a deleted contest."""

    kind = "contest.restore"

    contest_id: int

    def describe(self) -> ChangeDescription:
        deleted = Contest.objects.select_related("series").filter(state=ContestState.DELETED)
        contest = deleted.filter(pk=self.contest_id).first()
        if contest is None:
            raise ContestError(gettext("This contest is not deleted, or someone has restored it already."))
        return ChangeDescription(
            gettext("Restore %(name)s") % {"name": contest.name},
            gettext("Restore"),
            gettext("“%(name)s” has been restored.") % {"name": contest.name},
            reverse("organize:series", args=[contest.series]),
            [contest.series],
            contest,
            [
                gettext(
                    "The contest and its %(results)s will be shown again, and will count towards ratings if they did "
                    "before."
                )
                % {"results": _results_of(contest)}
            ],
        )

    def apply(self, *, actor: User | None) -> None:
        restore_contest(self.contest_id, reason=self.reason, actor=actor)


def _game_lines(event: Contest) -> list[str]:
    """Return what finalizing an event does with its games."""
    games = event.games.existing()
    unrated = games.filter(is_rated=False).count()
    rated = games.count() - unrated
    in_rated = Standing.objects.filter(contest__in=games.filter(is_rated=True))
    players = in_rated.order_by().values("player").distinct().count()
    text = ngettext(
        "%(number)s game between %(players)s players will be rated.",
        "%(number)s games between a total of %(players)s players will be rated.",
        rated,
    )
    lines = [text % {"number": grouped(rated), "players": grouped(players)}]
    if unrated:
        text = ngettext(
            "%(number)s game, such as a walkover, will be listed but not rated.",
            "%(number)s games, such as walkovers, will be listed but not rated.",
            unrated,
        )
        lines.append(text % {"number": grouped(unrated)})
    return lines


def _participant_lines(contest: Contest) -> list[str]:
    """Return what finalizing does with the participants; for an event, only with those who are not ranked."""
    counts = _counts(contest)
    outside = 0 if contest.is_event else len(ineligible_players(contest))
    told = [
        (outside, ngettext(
            "%(number)s participant outside the rating limits will be listed but not rated.",
            "%(number)s participants outside the rating limits will be listed but not rated.",
            outside,
        )),
        (counts["unofficial"], ngettext(
            "%(number)s participant who is not ranked will be listed but not rated.",
            "%(number)s participants who are not ranked will be listed but not rated.",
            counts["unofficial"],
        )),
        (counts["disqualified"], ngettext(
            "%(number)s disqualified participant will be listed but not rated.",
            "%(number)s disqualified participants will be listed but not rated.",
            counts["disqualified"],
        )),
    ]  # fmt: skip
    lines = [text % {"number": grouped(number)} for number, text in told if number]
    return lines if contest.is_event else [_ranked_line(contest, counts["ranked"] - outside), *lines]


def _ranked_line(contest: Contest, ranked: int) -> str:
    """Say what finalizing the contest means for its ranked participants within the rating limits."""
    if contest.is_rated:
        text = ngettext(
            "%(number)s ranked participant will be rated.", "%(number)s ranked participants will be rated.", ranked
        )
    else:
        text = ngettext(
            "The contest is unrated: %(number)s ranked participant will be listed but not rated.",
            "The contest is unrated: %(number)s ranked participants will be listed but not rated.",
            ranked,
        )
    return text % {"number": grouped(ranked)}


def _results_of(contest: Contest) -> str:
    """Return the results of a contest in words: its rows, or the games of an event."""
    if contest.is_event:
        text, number = ngettext("%(number)s game", "%(number)s games", contest.game_count), contest.game_count
    else:
        number = contest.standing_count
        text = ngettext("%(number)s result", "%(number)s results", number)
    return text % {"number": grouped(number)}


def _warnings_about_end(contest: Contest, described: ContestDescription) -> list[str]:
    """Return a warning if a contest moves into the future, which is usually a mistyped date."""
    end = described.ends_at
    if end == contest.ends_at or not is_in_future(end):
        return []
    text = gettext(
        "The new end is in the future: %(end)s. Check the date, because Podium rates contests in the order in which "
        "they end."
    )
    return [text % {"end": moment_in_words(end.astimezone(UTC))}]


def _counts(contest: Contest) -> dict[str, int]:
    statuses = list(contest.standings.values_list("status", flat=True))
    return {status: statuses.count(status) for status in StandingStatus.values}
