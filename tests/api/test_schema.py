"""The interface matches its own description."""

import io
import re
from pathlib import Path

import pytest
import schemathesis
import yaml
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.urls import get_resolver, resolve
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from contests.models import Player
from podium.wsgi import application
from tests.factories import make_contest, make_series, rate

DESCRIPTION = Path(__file__).parents[2] / "docs" / "openapi.yaml"
#: Path parameters for which resources exist.
KNOWN = {"community": "main", "slug": "cup", "handle": "a/b"}


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
    # Nor can it express that matchmaking needs two players, of `players` or of an event.
    picky |= {case.path.split("/")[-2]} & {"match", "opponents", "pairings", "teams"}
    case.call_and_validate(excluded_checks=[checks.positive_data_acceptance] if picky else [], headers=PLAIN)
    if case.path_parameters:
        case.path_parameters = {name: known[name] for name in case.path_parameters}
        response = case.call(headers=PLAIN)
        case.validate_response(response, checks=[not_a_server_error, checks.response_schema_conformance])


def generated() -> str:
    text = io.StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=text)
    return text.getvalue()


def test_the_committed_description_is_up_to_date():
    assert generated() == DESCRIPTION.read_text(encoding="utf-8"), (
        "run: python manage.py spectacular --file docs/openapi.yaml --validate --fail-on-warn"
    )


def test_every_address_and_every_field_is_described():
    description = yaml.safe_load(DESCRIPTION.read_text(encoding="utf-8"))
    assert description["openapi"] == "3.1.0"
    routes = {
        re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(route.pattern)).replace("{pk}", "{id}")
        for route in next(one for one in get_resolver().url_patterns if str(one.pattern) == "api/v1/").url_patterns
    }
    described = {path.removeprefix("/api/v1/") for path in description["paths"]}
    assert routes - described == {"schema/", "docs/", r"^(?P{path}[\s\S]*)\Z"}
    assert description["servers"] == [{"url": "/", "description": "This site."}]
    operations = [operation for path in description["paths"].values() for operation in path.values()]
    assert len(operations) == 28
    for operation in operations:
        assert operation["description"]
        assert operation["operationId"].isalnum()
        assert all(
            parameter.get("description") for parameter in operation.get("parameters", []) if parameter["in"] == "query"
        )
    # References and names need no description.
    plain = {"player", "contest", "last_contest", "series", "name", "slug", "players", "id"}
    wordless = [
        f"{name}.{field}"
        for name, component in description["components"]["schemas"].items()
        for field, shape in component.get("properties", {}).items()
        if not shape.get("description") and field not in plain
    ]
    assert wordless == []


@pytest.mark.django_db
def test_the_description_is_available_as_json(client):
    answer = client.get("/api/v1/schema/", headers={"Accept": "application/vnd.oai.openapi+json"})
    assert answer.json()["info"]["title"] == "Podium"
    assert answer["Access-Control-Allow-Origin"] == "*"


def test_every_response_and_its_headers_are_described():
    description = yaml.safe_load(DESCRIPTION.read_text(encoding="utf-8"))
    for path, methods in description["paths"].items():
        responses = methods["get"]["responses"]
        assert {"200", "304", "400", "406", "429", "500"} <= set(responses), path
        assert ("404" in responses) >= ("{" in path), path
        for status in ("200", "304"):
            assert {"ETag", "Vary", "Cache-Control"} <= set(responses[status]["headers"]), path
        assert responses["429"]["headers"]["Retry-After"]["schema"] == {"type": "integer"}
        assert "308" not in responses or "Location" in responses["308"]["headers"]


def test_all_fields_of_responses_are_required():
    schemas = yaml.safe_load(DESCRIPTION.read_text(encoding="utf-8"))["components"]["schemas"]
    optional = {
        name: sorted(set(shape["properties"]) - set(shape.get("required", [])))
        for name, shape in schemas.items()
        if set(shape.get("properties", {})) != set(shape.get("required", []))
    }
    assert optional == {"Problem": ["errors"]}


def test_each_address_accepts_the_described_parameters():
    description = yaml.safe_load(DESCRIPTION.read_text(encoding="utf-8"))
    for path, methods in description["paths"].items():
        view = resolve(re.sub(r"\{(\w+)\}", "1", path)).func.view_class
        taken = {*view.other_names, *(name for shape in view.parameters for name in shape().fields)}
        described = {one["name"] for one in methods["get"].get("parameters", []) if one["in"] == "query"}
        assert taken == described, path
