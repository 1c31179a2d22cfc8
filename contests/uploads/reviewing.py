"""
Review a staged file before any of it is saved.

A review says how the file is read, what is wrong with it, which players it names, and what it would do to ratings.
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils.translation import get_language, gettext, ngettext

from contests.bulk import values_by_key
from contests.formats.base import ParsedContest, Problem, Report
from contests.handles import printable
from contests.matching.players import PlayerCandidate, likely_players, match_players
from contests.models import Contest, Player
from contests.providers import ratings_preview
from contests.uploads.correcting import offered_rows
from contests.uploads.filling import missing_in
from contests.uploads.games import in_order, review_games
from contests.uploads.reading import columns_of, read_staged
from contests.uploads.review import (
    ASKED,
    ROWS_KEPT,
    UNMATCHED_KEPT,
    Counts,
    Review,
    ReviewedRow,
    UnmatchedRow,
    newest_player_of,
)
from contests.uploads.staging import (
    read_choices,
    write_review,
)
from contests.uploads.warnings import warn_of_disclosure, warn_of_names
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from contests.formats.base import ParsedStanding
    from contests.matching.players import Match
    from contests.uploads.staging import Choices, Decision, Staged

    #: Called with a stage ("reading", "matching", "rating") and the number of rows done in it.
    Tell = Callable[[str, int], None]


_DESCRIBED = ("name", "url", "ends_at", "starts_at", "weight", "perf_ceiling")
_MOMENTS = ("ends_at", "starts_at")
#: The most players that a warning lists by handle.
_NAMED = 5


def review_staged(
    staged: Staged, *, whole: bool = False, tell: Tell | None = None, known: Review | None = None
) -> Review:
    """
    Review a staged file with its current choices, keep the review in its row, and return it.

    whole
        Whether to compute the slow parts too, because no one is waiting for a response.
    known
        An earlier review with the same choices, whose preview stays.
    """
    started = time.perf_counter()
    tell = tell or _ignore_progress
    choices = read_choices(staged)
    contest = Contest.objects.existing().select_related("series").filter(pk=staged.contest_id).first()
    newest = newest_player_of(staged.series_id)
    review, report = Review(choices.stamp, language=get_language() or "", newest_player=newest), Report()
    tell("reading", 0)
    parsed, found, options = read_staged(staged, choices, report, progress=lambda rows: tell("reading", rows))
    review.columns = columns_of(found, choices)
    review.has_times = parsed is not None and parsed.has_times
    if parsed is not None and contest is not None:
        tell("matching", len(parsed.standings))
        players = _match(staged, choices, parsed, review, report, is_public=contest.series.is_public)
        if not report.errors:
            warn_of_disclosure(contest, parsed, players, report)
            tell("rating", len(parsed.standings))
            # Games are rated in the preview of finalizing, where each one counts.
            if known is not None and known.preview is not None:
                review.preview = known.preview
            elif not parsed.games:
                review.preview = ratings_preview(contest, parsed, players, at_once=not whole)
    elif report.people and contest is not None:
        tell("matching", len(report.people))
        _match_people(staged, choices, review, report)
    review.offered = offered_rows(staged, choices, report, options)
    review.take(report)
    review.seconds = time.perf_counter() - started
    # Not kept if the organizer has chosen again in the meantime: that requested another review.
    write_review(staged, review.to_json(), stamp=choices.stamp)
    return review


def description_differences(contest: Contest, description: Mapping[str, Any]) -> dict[str, tuple[object, object]]:
    """Return the fields that a file's description changes in the draft: field -> (draft, file)."""
    moments = {name: datetime.fromisoformat(description[name]) for name in _MOMENTS if name in description}
    values = {**description, **moments}
    differing = [name for name in _DESCRIBED if name in values and getattr(contest, name) != values[name]]
    return {name: (getattr(contest, name), values[name]) for name in differing}


def _match(
    staged: Staged, choices: Choices, parsed: ParsedContest, review: Review, report: Report, *, is_public: bool
) -> list[int | None]:
    """
    Return the player of each row, None for a new one; add findings to the review and problems to the report.

    Undecided rows count as the players that the form preselects when it asks about them.

    is_public
        Whether the series is; names in a private series stay there.
    """
    matches = match_players(parsed.standings, series_id=staged.series_id, games=parsed.games)
    _, order = in_order(parsed, [None] * len(matches))
    meant = _meant(choices, [matches[i].player_id for i in order[:ROWS_KEPT] if matches[i].how in ("alias", "merged")])
    players = [_player(match, choices, meant) for match in matches]
    if matches.cut:
        report.add(Problem(matches.cut, "warning"))
    _check_decisions(choices, matches, meant, report)
    if parsed.games:
        of_key = {match.key: player for match, player in zip(matches, players, strict=True)}
        review.games = review_games(staged, parsed, of_key, report)
    else:
        _check_duplicates(parsed, players, choices, report)
    if not report.errors:
        warn_of_names(parsed, matches, choices, report)
    unmatched = [i for i, match in enumerate(matches) if match.how == "new" or match.key in choices.decisions]
    unmatched.sort(key=lambda i: _urgency(matches[i], choices))
    review.unmatched_count = len(unmatched)
    likely = likely_players(parsed.standings, matches)
    asked = [i for i in unmatched if matches[i].suggestions and matches[i].key not in choices.decisions][:ASKED]
    taken, certain = set(players), list(players)
    for i in asked:
        if (player := likely.get(matches[i].key)) is not None and (parsed.games or player not in taken):
            players[i] = player
            meant |= {one.player_id: one for one in matches[i].suggestions if one.player_id == player}
    table, order = in_order(parsed, players)
    stored = _stored_people(parsed, players, order[:ROWS_KEPT])
    if is_public:
        review.missing = missing_in(parsed, certain, stored)
    _warn_of_other_values(parsed, certain, stored, report, besides={one.player_id for one in review.missing})
    review.rows = [_row(table, i, players[i], matches[i], meant, stored) for i in order[:ROWS_KEPT]]
    statuses = [table.standings[i].status for i in order]
    review.counts = Counts(
        len(statuses), statuses.count("ranked"), statuses.count("unofficial"), statuses.count("disqualified"),
        sum(players[i] is None for i in order), sum(1 for match in matches if match.how in ("alias", "merged")),
    )  # fmt: skip
    review.unmatched = [
        _unmatched_row(parsed, i, matches[i], choices, meant, likely.get(matches[i].key))
        for i in unmatched[:UNMATCHED_KEPT]
    ]
    review.description = _description(parsed)
    return players


def _match_people(staged: Staged, choices: Choices, review: Review, report: Report) -> None:
    """Match the players of a file with errors, so that its organizer can decide about them before fixing it."""
    people = ParsedContest("", "", report.people, [None] * len(report.people))
    _match(staged, choices, people, review, report, is_public=False)
    review.rows, review.description = [], {}
    review.counts = Counts(new_players=review.counts.new_players, other_name=review.counts.other_name)


def _meant(choices: Choices, more: Sequence[int | None]) -> dict[int, PlayerCandidate]:
    """Return the players that the organizer chose, and `more` by their ids, following merges: id -> candidate."""
    ids = {*choices.known_players.values(), *(pk for pk in more if pk is not None)}
    found = Player.objects.select_related("merged_into").filter(pk__in=ids) if ids else ()
    meant = {}
    for player in found:
        now = player.merged_into or player
        meant[player.pk] = PlayerCandidate(now.pk, now.handle, now.name, now.country)
    return meant


def _player(match: Match, choices: Choices, meant: Mapping[int, PlayerCandidate]) -> int | None:
    decision = choices.decisions.get(match.key)
    if decision is None:
        return match.player_id
    known = meant.get(decision.player_id) if decision.player_id is not None else None
    # A decision for a new player has no effect once a player has the handle.
    return known.player_id if known is not None else match.player_id


def _check_decisions(
    choices: Choices, matches: Sequence[Match], meant: Mapping[int, PlayerCandidate], report: Report
) -> None:
    """Report decisions that no longer apply: their handle is not in the file, or their player no longer exists."""
    present = {match.key for match in matches} if choices.decisions else set()
    for key, decision in choices.decisions.items():
        if decision.player_id is None:
            continue
        if decision.player_id not in meant:
            report.add(
                Problem(
                    gettext("The player chosen for this handle no longer exists. Choose again."),
                    value=printable(decision.handle),
                )
            )
        elif key not in present:
            report.add(
                Problem(
                    gettext(
                        "You chose the player %(handle)s for this handle, but with the current reading settings, the "
                        "file doesn’t contain it. Your choice has no effect."
                    )
                    % {"handle": meant[decision.player_id].handle},
                    "warning",
                    value=printable(decision.handle),
                )
            )


def _check_duplicates(parsed: ParsedContest, players: Sequence[int | None], choices: Choices, report: Report) -> None:
    """Report rows whose different handles mean the same player."""
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
            problem = (
                gettext(
                    "This is the same player as “%(handle)s” in row %(row)s, under another name. Choose another player "
                    "below for one of them, or keep only one of the two rows."
                )
                if choices.decisions
                else gettext(
                    "This is the same player as “%(handle)s” in row %(row)s, under another name. Keep only one of the "
                    "two rows."
                )
            )
            report.add(
                Problem(
                    problem % {"handle": printable(one.handle), "row": one.row},
                    row=other.row,
                    value=printable(other.handle),
                    other_row=one.row,
                )
            )


def _stored_people(
    parsed: ParsedContest, players: Sequence[int | None], shown: Sequence[int]
) -> dict[int, tuple[str, str]]:
    """Return the stored name and country of the known players of the rows shown, and of those that the file names."""
    named = (i for i, row in enumerate(parsed.standings) if row.name or row.country)
    ids = list({player for i in {*shown, *named} if (player := players[i]) is not None})
    names = values_by_key(Player, "id", "name", ids)
    countries = values_by_key(Player, "id", "country", ids)
    return {player: (name, countries[player]) for player, name in names.items()}


def _warn_of_other_values(
    parsed: ParsedContest,
    players: Sequence[int | None],
    stored: Mapping[int, tuple[str, str]],
    report: Report,
    *,
    besides: AbstractSet[int],
) -> None:
    """
    Warn if the file has other names or countries for known players than Podium, which keeps its own.

    besides
        Players to whom the review offers to add what Podium lacks.
    """
    differing = [
        (row.handle, differences) for row, player in zip(parsed.standings, players, strict=True)
        if player is not None and player in stored
        and (differences := _differences(row, stored[player], is_added=player in besides))
    ]  # fmt: skip
    if not differing:
        return
    text = ngettext(
        "The file has a different name or country for a known player: %(players)s. Podium keeps what it has stored. To "
        "change it, look up the player under Players.",
        "The file has different names or countries for %(count)s known players: %(players)s. Podium keeps what it has "
        "stored. To change it, look up the players under Players.",
        len(differing),
    )
    told = ", ".join(_difference(handle, differences) for handle, differences in differing[:_NAMED])
    told += ", …" if len(differing) > _NAMED else ""
    report.add(Problem(text % {"count": grouped(len(differing)), "players": told}, "warning"))


def _differences(row: ParsedStanding, stored: tuple[str, str], *, is_added: bool) -> list[tuple[str, str]]:
    """
    Return (given, stored) for the name and the country of a row if they differ from the stored ones.

    Case and white space don't matter.

    is_added
        Whether a missing stored value doesn't matter either, because the review offers to add it.
    """
    return [
        (given, kept) for given, kept in zip((row.name, row.country), stored, strict=True)
        if given and given.casefold().split() != kept.casefold().split() and (kept or not is_added)
    ]  # fmt: skip


def _difference(handle: str, differences: Sequence[tuple[str, str]]) -> str:
    """Return the handle of a row, and in brackets what the file has and what is stored: “cy (IT, stored FR)”."""
    texts = []
    for given, kept in differences:
        text = gettext("%(given)s, stored %(stored)s") if kept else gettext("%(given)s, none stored")
        texts.append(text % {"given": printable(given), "stored": printable(kept)})
    return f"{printable(handle)} ({'; '.join(texts)})"


def _row(
    parsed: ParsedContest, i: int, player: int | None, match: Match, meant: Mapping[int, PlayerCandidate],
    stored: Mapping[int, tuple[str, str]],
) -> ReviewedRow:  # fmt: skip
    row = parsed.standings[i]
    # A known player keeps the stored name and country.
    name, country = stored.get(player, (row.name, row.country)) if player is not None else (row.name, row.country)
    known = next((each for each in meant.values() if each.player_id == player), None) if player is not None else None
    known_as = known.handle if known is not None and known.handle != row.handle else ""
    return ReviewedRow(
        row.handle, name, country, row.team, row.status, parsed.ranks[i], row.score, row.penalty, player,
        known_as, row.share, row.handicap,
    )  # fmt: skip


def _urgency(match: Match, choices: Choices) -> tuple[bool, int]:
    """
    Return the sort key of an unmatched row: players chosen by handle first, then rows by their closest name.

    Deciding on a suggestion does not move the row.
    """
    looked_up = match.key in choices.decisions and not match.suggestions
    return not looked_up, -max((each.similarity for each in match.suggestions), default=0)


def _unmatched_row(
    parsed: ParsedContest, i: int, match: Match, choices: Choices, meant: Mapping[int, PlayerCandidate],
    likely: int | None,
) -> UnmatchedRow:  # fmt: skip
    row = parsed.standings[i]
    decision: Decision | None = choices.decisions.get(match.key)
    chosen = meant.get(decision.player_id) if decision is not None and decision.player_id is not None else None
    return UnmatchedRow(
        row.handle, match.key, row.row, row.name, row.country, list(match.suggestions), chosen, decision is not None,
        decision is not None and decision.is_alias, likely,
    )  # fmt: skip


def _description(parsed: ParsedContest) -> dict[str, Any]:
    """Return what the file says about its contest; a weight of 1 is the default and says nothing."""
    if parsed.games:  # the dates of an event follow from its games
        return {"name": parsed.name} if parsed.name else {}
    values = {name: getattr(parsed, name) for name in _DESCRIBED}
    if not parsed.key or parsed.weight == 1:
        del values["weight"]
    for name in _MOMENTS:
        values[name] = values[name].isoformat() if values[name] is not None else None
    return {name: value for name, value in values.items() if value not in (None, "")}


def _ignore_progress(stage: str, rows: int) -> None:
    return None
