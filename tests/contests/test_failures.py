"""Messages about failed work: organizers never see the text of an unexpected error, and the log has it."""

from __future__ import annotations

import re

import pytest
from django.db import OperationalError

from contests.errors import ContestError
from contests.failures import failure_in_words, is_full

SECRET = 'connection to server at "10.0.0.7", port 5432 failed: database "podium_live"'


def test_the_log_has_an_unexpected_error_under_the_number_in_its_message(caplog):
    try:
        raise OperationalError(SECRET)
    except OperationalError as error:
        words = failure_in_words(error, "series 3, run 5")
    assert "10.0.0.7" not in words
    number = re.search("as error ([0-9a-f]{8})", words)[1]
    assert f"series 3, run 5 failed, error {number}" in caplog.text
    assert "Traceback" in caplog.text
    assert SECRET in caplog.text


def test_errors_for_people_are_shown_and_not_logged(caplog):
    assert failure_in_words(ContestError("Ann is gone."), "series 3") == "Ann is gone."
    assert not caplog.text


def test_a_full_disk_is_named_without_its_path(caplog):
    words = failure_in_words(OSError(28, "No space left on device", "/srv/podium/x"), "series 3")
    assert words.startswith("The server’s disk is full.")
    assert "/srv" not in words
    assert "/srv/podium/x" in caplog.text


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(28, "No space left on device"), True),
        (OSError(122, "Disk quota exceeded"), True),
        (OSError(2, "No such file"), False),
        (OperationalError("database or disk is full"), True),
        (OperationalError("could not connect"), False),
        (None, False),
    ],
)
def test_these_errors_mean_a_full_disk(error, expected):
    assert is_full(error) is expected
