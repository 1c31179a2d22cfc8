"""
Requests generated from the description of the REST API: each response matches the description.

Generating them takes seconds even if none of these tests is run, so tests/services.py leaves this file out on SQLite.
"""

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from contests.models import Player
from podium.wsgi import application
from tests.api.test_schema import DESCRIPTION
from tests.factories import make_contest, make_series, rate

#: Path parameters for which resources exist.
KNOWN = {"community": "main", "slug": "cup", "handle": "a/b", "number": 1}


#: The test calls the application directly, so nothing would unpack compressed responses.
PLAIN = {"Accept-Encoding": "identity"}

schema = schemathesis.openapi.from_path(DESCRIPTION)
schema.app = application


@pytest.fixture
def one_connection(db):
    """Let requests use the test's own database connection, like those of Django's test client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def cup(one_connection):
    series = make_series("cup")
    make_contest(series, standings=[("a/b", 1, 3.5), ("bob", 2, 2), ("cid", 3, 1, "disqualified"), ("dee", 4, 0)])
    make_contest(series, standings=[("bob", 1), ("a/b", 1)])
    make_series("empty")
    make_series("hidden", is_public=False)
    Player.objects.filter(handle="bob").update(country="DE", name="Bob")
    rate(series)


@pytest.mark.one_database
@schema.parametrize()
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_response_matches_the_description(case, cup):
    known = {**KNOWN, "id": Player.objects.first().standings.first().contest_id}
    # The server refuses invented cursors and pairs of letters that are not countries, as it should.
    picky = {"cursor", "country"} & set(case.query or {})
    # Nor does it accept null characters in a text, which a database could not hold.
    picky |= {name for name, value in (case.query or {}).items() if "\0" in str(value)}
    # It also refuses a comparison without players. OpenAPI cannot express that one of two parameters is required.
    picky |= {case.path} & {"/api/v1/compare/"}
    # A division needs its league.
    picky |= {"division"} & set(case.query or {})
    # Matchmaking needs enough players, named by parameters or taken from an event.
    picky |= {case.path.split("/")[-2]} & {"match", "opponents", "pairings", "teams"}
    case.call_and_validate(excluded_checks=[checks.positive_data_acceptance] if picky else [], headers=PLAIN)
    if case.path_parameters:
        case.path_parameters = {name: known[name] for name in case.path_parameters}
        response = case.call(headers=PLAIN)
        case.validate_response(response, checks=[not_a_server_error, checks.response_schema_conformance])
