"""
Looking at a staged file before anything of it is stored: how it is read, what is wrong with it, who its players are,
and what it would do to ratings.
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

from contests.formats import Problem, Report
from contests.handles import printable
from contests.matching.players import close_names_warning, match_players
from contests.models import Contest, Player
from contests.providers import projected_effects
from contests.uploads.reading import columns_of, read_staged
from contests.uploads.review import PEOPLE_KEPT, ROWS_KEPT, Counts, Known, Person, Review, ReviewedRow
from contests.uploads.staging import read_choices, read_review, write_review

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from contests.formats import ParsedContest
    from contests.matching.players import Match
    from contests.uploads.staging import Choices, Decision, Staged

    #: Told of a stage ("reading", "matching", "rating") and of the rows that are done in it.
    Tell = Callable[[str, int], None]

_DESCRIBED = ("name", "url", "ends_at", "starts_at", "weight", "perf_ceiling")


def review_staged(staged: Staged, *, whole: bool = False, tell: Tell | None = None) -> Review:
    """
    Review a staged file by what was chosen last, keep what was found with it, and return that.

    whole
        Also compute what takes long: no one waits for the answer.
    """
    started = time.perf_counter()
    tell = tell or _tell_nobody
    choices = read_choices(staged)
    contest = Contest.objects.existing().select_related("series").filter(pk=staged.contest_id).first()
    review, report = Review(choices.stamp), Report()
    tell("reading", 0)
    parsed, found = read_staged(staged, choices, report, progress=lambda rows: tell("reading", rows))
    review.columns = columns_of(found, choices)
    if parsed is not None and contest is not None:
        tell("matching", len(parsed.standings))
        players = _match(staged, choices, parsed, review, report)
        if not report.errors:
            tell("rating", len(parsed.standings))
            review.effects = projected_effects(contest, parsed, players, at_once=not whole)
    review.take(report)
    review.seconds = time.perf_counter() - started
    # Someone who has chosen again meanwhile has also asked for another review: then this one is not kept.
    write_review(staged, review.to_json(), stamp=choices.stamp)
    return review


def review_of(staged: Staged, choices: Choices) -> Review | None:
    """Return what was found by these choices, None if there is no review yet."""
    kept = read_review(staged)
    if kept is None or kept.get("stamp") != choices.stamp:
        return None
    try:
        return Review.from_json(kept)
    except (TypeError, KeyError):
        return None


def offered_players(staged: Staged) -> dict[str, set[int]]:
    """Return key of a handle -> the players that the newest review of the file suggests for it."""
    kept = read_review(staged)
    try:
        people = Review.from_json(kept).people if kept is not None else []
    except (TypeError, KeyError):
        return {}
    return {person.key: {known.player_id for known in person.suggestions} for person in people}


def description_differences(contest: Contest, said: Mapping[str, Any]) -> dict[str, tuple[object, object]]:
    """Return how a file describes the contest differently from the draft: field -> (draft, file)."""
    values = {**said, **{name: _moment(said[name]) for name in ("ends_at", "starts_at") if name in said}}
    differing = [name for name in _DESCRIBED if name in values and getattr(contest, name) != values[name]]
    return {name: (getattr(contest, name), values[name]) for name in differing}


def _match(staged: Staged, choices: Choices, parsed: ParsedContest, review: Review, report: Report) -> list[int | None]:
    """Find who is meant by each row; what is found goes into the review, problems into the report."""
    matches = match_players(parsed.standings, series_id=staged.series_id)
    order = sorted(range(len(matches)), key=lambda i: (parsed.ranks[i] is None, parsed.ranks[i] or 0, i))
    meant = _meant(choices, [matches[i].player_id for i in order[:ROWS_KEPT] if matches[i].how in ("alias", "merged")])
    players = [_player(match, choices, meant) for match in matches]
    if matches.cut:
        report.add(Problem(matches.cut, "warning"))
    _check_decisions(choices, matches, meant, report)
    _check_persons(parsed, players, choices, report)
    if not report.errors:
        _warn_of_close_names(parsed, matches, choices, report)
    review.rows = [_row(parsed, i, players[i], matches[i], meant) for i in order[:ROWS_KEPT]]
    statuses = [row.status for row in parsed.standings]
    review.counts = Counts(
        len(statuses), statuses.count("ranked"), statuses.count("unofficial"), statuses.count("disqualified"),
        players.count(None), sum(1 for match in matches if match.how in ("alias", "merged")),
    )  # fmt: skip
    asked = [i for i, match in enumerate(matches) if match.how == "new" or match.key in choices.decisions]
    asked.sort(key=lambda i: _urgency(matches[i], choices))
    review.people_count = len(asked)
    review.people = [_person(parsed, i, matches[i], choices, meant) for i in asked[:PEOPLE_KEPT]]
    review.said = _said(parsed)
    return players


def _meant(choices: Choices, more: Sequence[int | None]) -> dict[int, Known]:
    """Return the players that were decided on, and some more, by their ids; who was merged is whom they are now."""
    ids = {*choices.known_players.values(), *(pk for pk in more if pk is not None)}
    found = Player.objects.select_related("merged_into").filter(pk__in=ids) if ids else ()
    meant = {}
    for player in found:
        now = player.merged_into or player
        meant[player.pk] = Known(now.pk, now.handle, now.name, now.country)
    return meant


def _player(match: Match, choices: Choices, meant: Mapping[int, Known]) -> int | None:
    decision = choices.decisions.get(match.key)
    if decision is None:
        return match.player_id
    known = meant.get(decision.player_id) if decision.player_id is not None else None
    # A player can only be new if no one has the handle yet.
    return known.player_id if known is not None else match.player_id


def _check_decisions(choices: Choices, matches: Sequence[Match], meant: Mapping[int, Known], report: Report) -> None:
    """Report decisions that no longer fit: for handles that the file has not, and players that are gone."""
    present = {match.key for match in matches} if choices.decisions else set()
    for key, decision in choices.decisions.items():
        if decision.player_id is None:
            continue
        if decision.player_id not in meant:
            report.add(
                Problem(
                    "The player who was chosen for this handle no longer exists; choose again.",
                    value=printable(decision.handle),
                )
            )
        elif key not in present:
            report.add(
                Problem(
                    f"It was chosen that this is {meant[decision.player_id].handle}, but the file as it is read now "
                    "has no such handle; the choice is left aside.",
                    "warning",
                    value=printable(decision.handle),
                )
            )


def _check_persons(parsed: ParsedContest, players: Sequence[int | None], choices: Choices, report: Report) -> None:
    """Report rows whose different handles mean one player."""
    known = [player for player in players if player is not None]
    if len(set(known)) == len(known):
        return
    first: dict[int, int] = {}
    for i, player in enumerate(players):
        if player is None:
            continue
        earlier = first.setdefault(player, i)
        if earlier != i:
            one, other = parsed.standings[earlier], parsed.standings[i]
            remedy = "choose another player below for one of them, or keep" if choices.decisions else "keep"
            report.add(
                Problem(
                    f"This is the same player as “{printable(one.handle)}” in row {one.row}, under another name; "
                    f"{remedy} only one of the two rows.",
                    row=other.row,
                    value=printable(other.handle),
                )
            )


def _warn_of_close_names(parsed: ParsedContest, matches: Sequence[Match], choices: Choices, report: Report) -> None:
    for standing, match in zip(parsed.standings, matches, strict=True):
        if match.how == "new" and match.key not in choices.decisions and (words := close_names_warning(match)):
            report.add(Problem(words, "warning", row=standing.row, value=printable(standing.handle)))


def _row(parsed: ParsedContest, i: int, player: int | None, match: Match, meant: Mapping[int, Known]) -> ReviewedRow:
    row = parsed.standings[i]
    known = next((each for each in meant.values() if each.player_id == player), None) if player is not None else None
    known_as = known.handle if known is not None and known.handle != row.handle else ""
    return ReviewedRow(
        row.handle, row.name, row.country, row.team, row.status, parsed.ranks[i], row.score, row.penalty, player,
        known_as,
    )  # fmt: skip


def _urgency(match: Match, choices: Choices) -> tuple[bool, int]:
    """Sort who was looked up by hand to the front, then the closest names; deciding moves nothing that is suggested."""
    looked_up = match.key in choices.decisions and not match.suggestions
    return not looked_up, -max((each.similarity for each in match.suggestions), default=0)


def _person(parsed: ParsedContest, i: int, match: Match, choices: Choices, meant: Mapping[int, Known]) -> Person:
    row = parsed.standings[i]
    decision: Decision | None = choices.decisions.get(match.key)
    chosen = meant.get(decision.player_id) if decision is not None and decision.player_id is not None else None
    suggestions = [
        Known(each.player_id, each.handle, each.name, each.country, each.similarity, each.why)
        for each in match.suggestions
    ]
    return Person(
        row.handle, match.key, row.row, row.name, row.country, suggestions, chosen, decision is not None,
        decision is not None and decision.is_alias,
    )  # fmt: skip


def _said(parsed: ParsedContest) -> dict[str, Any]:
    """Return what the file says of its contest; a weight of 1 is what a file says that says nothing."""
    said = {name: getattr(parsed, name) for name in _DESCRIBED}
    if not parsed.key or parsed.weight == 1:
        del said["weight"]
    for name in ("ends_at", "starts_at"):
        said[name] = said[name].isoformat() if said[name] is not None else None
    return {name: value for name, value in said.items() if value not in (None, "")}


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _tell_nobody(stage: str, rows: int) -> None:
    return None
