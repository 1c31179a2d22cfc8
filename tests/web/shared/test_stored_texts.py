"""Stored English texts in the reader's language."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.utils.translation import override

from contests.models import AuditEntry, Contest, Series
from contests.queries.amendments import differences_of
from ratings.models import Run
from ratings.publishing.queue import WORKER_STOPPED, begin_run, fail_run
from ratings.publishing.schemes import scheme_of
from tests.factories import make_series
from web.shared.stored_texts import ERRORS, cause_in_words, error_in_words, reason_in_words, subject_in_words

pytestmark = pytest.mark.one_database

CAUSES = [
    ("Demo data", "Demodaten"),
    ("Finalized Spring Cup", "Abschluss von Spring Cup"),
    ("Deleted Round 1: Div 2: no games", "Löschung von Round 1: Div 2: no games"),
    ("Restored Spring Cup: by mistake", "Wiederherstellung von Spring Cup: by mistake"),
    ("Added ann – bo", "Aufnahme von ann – bo"),
    ("Added cy to Spring Cup: forgotten", "Aufnahme von cy in Spring Cup: forgotten"),
    ("Removed cy from Spring Cup: no show", "Entfernung von cy aus Spring Cup: no show"),
    ("Moved a result from cy to di in A to B: typo", "Übertragung eines Ergebnisses von cy auf di in A to B: typo"),
    ("Corrected ann and bo in Spring Cup: appeal", "Korrektur von ann und bo in Spring Cup: appeal"),
    ("Corrected a, b, c and 2 more in Spring Cup: typo", "Korrektur von a, b, c und 2 weitere in Spring Cup: typo"),
    # Of the two words "and", one is part of a handle.
    ("Corrected rock and roll and bo in X: typo", "Korrektur von rock and roll and bo in X: typo"),
    ("Changed Cup (the weight and the end): by vote", "Änderung von Cup (das Gewicht und das Ende): by vote"),
    ("Changed Cup (day 2) (the weight): by vote", "Änderung von Cup (day 2) (das Gewicht): by vote"),
    ("Merged ann into bo: same person", "Zusammenführung von ann mit bo: same person"),
    ("Split ann from bo: two people", "Trennung von ann und bo: two people"),
    ("New rating scheme: Glicko-2: finer", "Neues Wertungsschema: Glicko-2: finer"),
    ("Ended the roll-back to run 3", "Ende der Rückkehr zu Lauf 3"),
    ("Rolled back to run 3: wrong file", "Rückkehr zu Lauf 3: wrong file"),
    ("Removed cy from A: Rolled back to run 3: no", "Entfernung von cy aus A: Rückkehr zu Lauf 3: no"),
    (
        "Deleted A: Rolled back to run 3: late; wrong; Deleted B: Rolled back to run 3: late",
        "Löschung von A: Rückkehr zu Lauf 3: late; wrong; Löschung von B: Rückkehr zu Lauf 3: late",
    ),
    ("Deleted A: late; wrong; Finalized B", "Löschung von A: late; wrong; Abschluss von B"),
    ("A cause of an older version", "A cause of an older version"),
]


@pytest.mark.parametrize(("stored", "german"), CAUSES)
def test_causes_of_runs_are_in_the_readers_language(stored, german):
    assert cause_in_words(stored) == stored
    with override("de"):
        assert cause_in_words(stored) == german


def _failed_run(error: Exception) -> str:
    series = make_series()
    run = begin_run(series.pk, scheme=scheme_of(series.pk))
    fail_run(run, error)
    return Run.objects.get(pk=run.pk).error


@pytest.mark.django_db
def test_errors_of_runs_are_in_the_readers_language():
    overtaken = "Run 5 was published in the meantime, but this run builds on run 4."
    stored = [WORKER_STOPPED, overtaken, _failed_run(OSError(28, "full")), _failed_run(ValueError("at 10.0.0.7"))]
    for text in stored:
        assert [shape for shape, _ in ERRORS if re.fullmatch(shape, text)], text
        assert error_in_words(text) == text
    assert error_in_words("An error of an older version") == "An error of an older version"


def test_reasons_of_undone_changes_are_in_the_readers_language():
    stored = "Rolled back to run 12: wrong file: again"
    assert reason_in_words(stored) == stored
    with override("de"):
        assert reason_in_words(stored) == "Rückkehr zu Lauf 12: wrong file: again"
        assert reason_in_words("We rolled back to run 12: so") == "We rolled back to run 12: so"


def test_a_roll_back_that_undoes_changes_has_their_number():
    stored = "Rolled back to run 12, undoing 1200 changes: wrong file; Deleted A: late"
    assert cause_in_words(stored) == "Rolled back to run 12, undoing 1,200 changes: wrong file; Deleted A: late"


def test_numbers_in_causes_are_grouped():
    stored = "Imported 1169 contests from h2h.csv; Imported 1 contest from a; b.csv; Demo data; and 2 more"
    assert cause_in_words(stored) == (
        "Imported 1,169 contests from h2h.csv; Imported 1 contest from a; b.csv; Demo data; and 2 more changes"
    )
    with override("de"):
        assert cause_in_words(stored) == (
            "Import von 1.169 Wettbewerben aus h2h.csv; Import von 1 Wettbewerb aus a; b.csv; Demodaten; "
            "und 2 weitere Änderungen"
        )


SERIES = Series(slug="head-to-head", name="Head-to-Head")
CONTEST = Contest(slug="spring-1", name="Spring Cup")
SUBJECTS = [
    ("series.import", "h2h.csv into head-to-head", "h2h.csv into Head-to-Head", "h2h.csv in Head-to-Head"),
    ("event.games", "contest spring-1", "Spring Cup", "Spring Cup"),
    ("contest.delete", "contest gone", "gone", "gone"),
    ("contest.finalize", "contest spring-1", "Spring Cup", "Spring Cup"),
    ("standing.correct", "ann in spring-1", "ann in Spring Cup", "ann in Spring Cup"),
    ("game.add", "ann – bo to Spring Cup", "ann – bo to Spring Cup", "ann – bo zu Spring Cup"),
    ("player.rename", "ann to anna", "ann to anna", "ann in anna"),
    ("player.rename", "a to b to c", "a to b to c", "a to b to c"),
    ("player.merge", "ann into anna", "ann into anna", "ann mit anna"),
    ("player.split", "ann from anna", "ann from anna", "ann von anna"),
    ("run.cancel", "run 5 of head-to-head", "run 5 of Head-to-Head", "Lauf 5 von Head-to-Head"),
    ("series.try_again", "head-to-head", "Head-to-Head", "Head-to-Head"),
    ("report.report", "ann – bo, 15–11, 2026-11-23", "ann – bo, 15–11, 23 Nov 2026", "ann – bo, 15–11, 23. Nov. 2026"),
    ("report.report", "ann – bo, 15–11, today", "ann – bo, 15–11, today", "ann – bo, 15–11, today"),
    ("player.describe", "contest spring-1", "contest spring-1", "contest spring-1"),
]


@pytest.mark.parametrize(("action", "stored", "english", "german"), SUBJECTS)
def test_subjects_have_names_in_the_readers_language(action, stored, english, german):
    entry = AuditEntry(action=action, subject=stored, series=SERIES, contest=CONTEST)
    assert subject_in_words(entry) == english
    with override("de"):
        assert subject_in_words(entry) == german


def test_changed_times_of_a_contest_are_moments():
    entry = AuditEntry(
        action="contest.describe",
        before={"ends_at": "2026-11-23T10:00:00Z", "name": "2026-11-23"},
        after={"ends_at": None, "name": "Cup"},
    )
    moment = datetime(2026, 11, 23, 10, tzinfo=UTC)
    assert differences_of(entry) == [("end", moment, None), ("name", "2026-11-23", "Cup")]
