"""The interface matches its own description."""

import io
import re
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from django.urls import get_resolver, resolve
from jsonschema import Draft202012Validator

from tests.factories import make_contest, make_series

DESCRIPTION = Path(__file__).parents[2] / "docs" / "openapi.yaml"


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
    assert len(operations) == 32
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
def test_an_empty_address_matches_the_description(get):
    contest = make_contest(make_series("cup"), players=2)
    document = yaml.safe_load(DESCRIPTION.read_text(encoding="utf-8"))
    schema = {**document, "$ref": "#/components/schemas/Contest"}
    answer = get(f"contests/{contest.pk}/")
    assert answer["url"] == ""
    # Formats are annotations by default, so an empty text is also a URI.
    assert [error.message for error in Draft202012Validator(schema).iter_errors(answer)] == []


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


@pytest.mark.parametrize("query", ["version=2", "version=%0A", "lang=de"])
def test_parameters_of_the_library_do_not_reach_the_schema(client, query):
    answer = client.get(f"/api/v1/schema/?{query}")
    assert answer.status_code == 400
    assert {error["parameter"] for error in answer.json()["errors"]} <= {"version", "lang"}
    assert client.get("/api/v1/docs/?version=%0A").status_code == 400


@pytest.mark.parametrize("address", ["/api/v1/docs/", "/api/v1/docs/?script="])
def test_the_docs_set_no_cookie_and_keep_their_entity_tag(client, address):
    """Shared caches may store them, and a cookie for one visitor must not reach another."""
    first = client.get(address)
    assert not first.cookies
    assert b"csrftoken" not in first.content
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
