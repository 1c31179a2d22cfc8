"""Errors are problem documents, and no request breaks the server."""

import re
from urllib.parse import parse_qsl

import pytest
from rest_framework.throttling import SimpleRateThrottle

from contests.api import views
from tests.factories import make_contest, make_series, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup():
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    return series


def problem(response, status):
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json"), response.content
    answer = response.json()
    assert answer["status"] == status
    assert answer["type"] == "about:blank"
    assert answer["title"]
    assert answer["detail"]
    assert response["Cache-Control"] == "no-store"
    assert response["Access-Control-Allow-Origin"] == "*"
    return answer


WRONG = [
    ("series/", {"page": "abc"}),
    ("series/", {"page": ""}),
    ("series/", {"page": "0"}),
    ("series/", {"page": "-1"}),
    ("series/", {"page": "1_0"}),
    ("series/", {"page": "1.0"}),
    ("series/", {"page": " 1"}),
    ("series/", {"page": "١"}),
    ("contests/", {"event": "8_5"}),
    ("communities/main/series/cup/leaderboard/", {"min_contests": "2_0"}),
    ("series/", {"page": "9" * 2000}),
    ("series/", {"page_size": "1001"}),
    ("series/", {"page_size": "1000000000"}),
    ("series/", {"page_size": "\0"}),
    ("communities/main/series/cup/leaderboard/", {"search": "a\0b"}),
    ("communities/main/series/cup/leaderboard/", {"search": "x" * 10_000}),
    ("communities/main/series/cup/leaderboard/", {"country": "XX"}),
    ("communities/main/series/cup/leaderboard/", {"country": "Germany"}),
    ("communities/main/series/cup/leaderboard/", {"country": "D\0"}),
    ("communities/main/series/cup/leaderboard/", {"country": "🇩🇪"}),
    ("communities/main/series/cup/changes/", {"since_run": "-1"}),
    ("communities/main/series/cup/changes/", {"since_run": "1.5"}),
    ("communities/main/series/cup/changes/", {"since_run": "NaN"}),
    ("communities/main/series/cup/changes/", {"cursor": "\0"}),
    ("contests/", {"series": "no slug"}),
    ("contests/", {"series": ""}),
    ("contests/", {"ended_after": "yesterday"}),
    ("contests/", {"ended_after": "0001-01-01T00:00:00+14:00"}),
    ("contests/", {"ended_before": "9999-12-31T23:59:59-14:00"}),
    ("contests/", {"ended_before": "2025-13-01"}),
    ("players/", {"search": "\0"}),
    ("players/", {"after": "ann"}),
    ("players/", {"after": str(2**63)}),
    ("players/", {"id": "5"}),
    ("series/", {"per_page": "5"}),
    ("communities/main/series/cup/", {"page": "1"}),
    ("contests/", {"id": "5", "order": "x"}),
    ("compare/?players=ann,bob", {"series_slug": "cup"}),
    ("schema/", {"format": "json"}),
    ("", {"x": ""}),
    ("communities/main/players/ann/history/", {"series": "\0"}),
]


@pytest.mark.parametrize(("address", "parameters"), WRONG)
def test_a_wrong_parameter_is_named(client, cup, address, parameters):
    assert client.get(f"/api/v1/{address}").status_code == 200
    path, _, query = f"/api/v1/{address}".partition("?")
    answer = problem(client.get(path, {**dict(parse_qsl(query)), **parameters}), 400)
    assert [error["parameter"] for error in answer["errors"]] == list(parameters)
    assert answer["errors"][0]["detail"]
    assert answer["instance"] == path


@pytest.mark.parametrize("address", ["players/", "communities/main/series/cup/leaderboard/"])
def test_text_that_is_not_utf8_is_refused(client, cup, address):
    assert client.get(f"/api/v1/{address}?search=%EF%BF%BD").status_code == 200
    (error,) = problem(client.get(f"/api/v1/{address}?search=a%ff"), 400)["errors"]
    assert (error["parameter"], "not valid UTF-8" in error["detail"]) == ("search", True)


def test_names_of_series_in_parameters_say_what_they_are_and_ignore_case_in_the_community(client, cup):
    assert client.get("/api/v1/contests/?series=MAIN/cup").json()["count"] == 1
    (error,) = problem(client.get("/api/v1/communities/main/players/ann/history/?series=main/cup"), 400)["errors"]
    assert error["detail"].startswith("Write the slug alone, such as night-cup")


@pytest.mark.parametrize("address", ["schema/", "docs/"])
def test_the_description_refuses_broken_tokens_too(client, address):
    assert client.get(f"/api/v1/{address}", headers={"authorization": "Bearer podium_x"}).status_code == 401


@pytest.mark.parametrize(
    ("address", "name", "nearest"),
    [
        ("contests/", "serie", "series"),
        ("contests/", "ended_befor", "ended_before"),
        ("players/", "query_search", "search"),
        ("players/", "page-size", "page_size"),
        ("communities/main/series/cup/changes/", "since", "since_run"),
        ("communities/main/series/cup/leaderboard/", "counrty", "country"),
        ("communities/main/players/ann/history/", "pagesize", "page_size"),
        ("compare/", "handle_player", "player"),
    ],
)
def test_unknown_parameters_suggest_the_most_similar_one(client, cup, address, name, nearest):
    (error,) = problem(client.get(f"/api/v1/{address}", {name: "1"}), 400)["errors"]
    assert error["parameter"] == name
    assert error["detail"].startswith(f"Unknown parameter. Did you mean “{nearest}”? Valid parameters: ")


@pytest.mark.parametrize("name", ["tier", "zzz", ""])
def test_unknown_parameters_suggest_nothing_that_is_not_similar(client, cup, name):
    (error,) = problem(client.get("/api/v1/series/", {name: "1"}), 400)["errors"]
    assert error["detail"] == "Unknown parameter. Valid parameters: page, page_size."


@pytest.mark.parametrize(
    ("address", "query", "name"),
    [
        ("players/", "search=ann&search=bob", "search"),
        ("contests/", "page=1&page=2", "page"),
        ("communities/main/series/cup/leaderboard/", "country=DE&country=PL", "country"),
        ("compare/", "players=ann&series=cup&series=cup", "series"),
    ],
)
def test_a_parameter_with_one_value_is_refused_if_it_is_repeated(client, address, query, name):
    make_contest(make_series("cup"), standings=[("ann", 1), ("bob", 2)])
    answer = client.get(f"/api/v1/{address}?{query}")
    assert answer.status_code == 400
    assert answer.json()["errors"] == [
        {"parameter": name, "detail": "This parameter occurs 2 times. Give it once."}
    ]  # fmt: skip


def test_true_or_false_is_asked_for_in_words(client, cup):
    answer = client.get("/api/v1/communities/main/series/cup/leaderboard/", {"established": "perhaps"})
    (error,) = problem(answer, 400)["errors"]
    assert error["detail"] == "Write true or false."


def test_an_id_beyond_all_is_not_quoted(client):
    answer = problem(client.get(f"/api/v1/players/{'9' * 30}/"), 404)
    assert answer["detail"] == "There is no public player with this id."


def test_unknown_and_wrong_parameters_are_named_together_up_to_a_limit(client, cup):
    answer = problem(client.get("/api/v1/contests/", {"page": "x", "nmae": "y"}), 400)
    assert {error["parameter"] for error in answer["errors"]} == {"page", "nmae"}
    answer = problem(client.get("/api/v1/contests/", {f"{i}{'x' * 3000}": "y" for i in range(30)}), 400)
    assert len(answer["errors"]) == 10
    assert len(str(answer)) < 5000


def test_all_wrong_parameters_are_named_at_once(client, cup):
    answer = problem(
        client.get("/api/v1/communities/main/series/cup/changes/", {"since_run": "x", "page_size": "y"}), 400
    )
    assert {error["parameter"] for error in answer["errors"]} == {"since_run", "page_size"}
    assert "since_run: A valid integer is required." in answer["detail"]
    answer = problem(
        client.get("/api/v1/communities/main/series/cup/leaderboard/", {"page": "abc", "country": "XX"}), 400
    )
    assert {error["parameter"] for error in answer["errors"]} == {"page", "country"}


@pytest.mark.parametrize(
    "address",
    [
        "communities/main/series/none/",
        "communities/main/series/none/leaderboard/",
        "communities/main/series/cup/leaderboard/?page=2",
        "communities/main/series/cup/runs/?page=1000000000",
        "contests/999999/",
        "contests/99999999999999999999999999/",
        "contests/99999999999999999999999999/standings/",
        "contests/x/",
        "players/999999/",
        "players/999999/history/",
        "players/99999999999999999999999999/",
        "players/x/",
        "contests/?series=none",
        "communities/main/players/nobody/",
        "communities/main/players/nobody/history/",
        "players/%00/",
        "communities/main/players/a%00b/history/",
        "players/%ff%fe/",
        "players/" + "x" * 5000 + "/",
        "players/%0a/",
        "players/%F0%9F%A6%8A%E2%80%AE/",
        "nothing/",
        "nothing",
        "communities/main/series/cup/nothing/",
        "%00",
    ],
)
def test_missing_resources_are_explained(client, cup, address):
    problem(client.get(f"/api/v1/{address}"), 404)


def test_a_page_beyond_the_last_one_names_the_last_one(client, cup):
    answer = problem(client.get("/api/v1/communities/main/series/cup/leaderboard/?page=7&page_size=1"), 404)
    assert answer["detail"] == "Page 7 does not exist. With page_size=1, the last page is 2."


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
@pytest.mark.parametrize(
    "address", ["series/", "contests/1/", "communities/main/players/ann/history/", "schema/", "docs/"]
)
def test_only_reading_is_allowed(client, cup, address, method):
    response = getattr(client, method)(f"/api/v1/{address}", {}, content_type="application/json")
    assert problem(response, 405)["detail"] == "The API only accepts GET, HEAD and OPTIONS."
    assert response["Allow"] == "GET, HEAD, OPTIONS"


def test_unknown_addresses_get_a_problem_document_for_every_method(client):
    for method in ("get", "post", "put", "patch", "delete"):
        response = getattr(client, method)("/api/v1/nothing/")
        problem(response, 404)
        assert response["Allow"] == "GET, HEAD, OPTIONS"


def test_media_types_other_than_json_are_refused(client, cup):
    refused = problem(client.get("/api/v1/series/", headers={"Accept": "text/csv"}), 406)
    assert refused["detail"] == "The API responds in JSON. Accept application/json."
    assert client.get("/api/v1/series/", headers={"Accept": "text/html, */*;q=0.1"}).status_code == 200


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("", 200),
        (" ", 200),
        ("application/json;q=0", 406),
        ("application/json; Q=0.000", 406),
        ("application/json;q=0, */*", 406),
        ("application/json;q=0.001", 200),
        ("*/*;q=0", 406),
        ("text/html;q=0, application/json", 200),
        ("application/problem+json;q=0", 406),
    ],
)
def test_an_empty_accept_header_counts_as_none_and_q_0_as_a_refusal(client, accept, status):
    """The cases are those of RFC 9110, section 12.5.1."""
    assert client.get("/api/v1/series/", headers={"Accept": accept}).status_code == status
    assert client.get("/api/v1/schema/", headers={"Accept": "application/vnd.oai.openapi;q=0, */*"}).status_code == 200


@pytest.mark.parametrize("address", ["nothing/", "nothing", "communities/main/series/cup/nothing/"])
@pytest.mark.parametrize("accept", ["text/html", "text/csv", "image/png, text/html;q=0.9", "application/problem+json"])
def test_unknown_addresses_are_404_whatever_the_client_accepts(client, cup, address, accept):
    problem(client.get(f"/api/v1/{address}", headers={"Accept": accept}), 404)


@pytest.mark.parametrize("accept", ["application/problem+json", "application/problem+json; q=0.9, text/html"])
def test_clients_that_accept_only_problems_get_json(client, cup, accept):
    answer = client.get("/api/v1/series/", headers={"Accept": accept})
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    problem(client.get("/api/v1/communities/main/series/none/", headers={"Accept": accept}), 404)


@pytest.mark.parametrize(
    "address", ["/api/v1/series/", "/api/v1/nothing/", "/api/v1/communities/main/players/ann/", "/api/"]
)
def test_an_unknown_host_name_is_explained(client, cup, settings, address):
    settings.ALLOWED_HOSTS = ["testserver"]
    answer = problem(client.get(address, headers={"Host": "elsewhere.example"}), 400)
    assert "does not accept requests for this host name" in answer["detail"]
    assert client.get("/series/", headers={"Host": "elsewhere.example"})["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("address", ["/api/", "/api/v2/series/", "/api/v1x/"])
def test_addresses_outside_the_api_version_get_a_problem_document_too(client, address):
    problem(client.get(address), 404)


@pytest.mark.parametrize("address", ["/api/v1", "/api/v1/"])
def test_the_root_links_to_all_resources(client, cup, address):
    listed = client.get(address, follow=True).json()
    assert list(listed) == ["communities", "series", "contests", "players", "compare", "schema", "docs"]
    for name, there in listed.items():
        assert client.get(there).status_code == (400 if name == "compare" else 200), there


def test_too_many_requests_say_when_to_retry(client, cup, monkeypatch):
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"anon": "2/min", "token": None})
    answers = [client.get("/api/v1/series/") for _ in range(3)]
    assert [response.status_code for response in answers] == [200, 200, 429]
    detail = problem(answers[2], 429)["detail"]
    assert re.fullmatch(r"Too many requests\. Try again in \d+ seconds?\.", detail)
    assert 0 < int(answers[2]["Retry-After"]) <= 60
    claimed = client.get("/api/v1/series/", headers={"X-Forwarded-For": "203.0.113.9"})
    assert claimed.status_code == 429, "without a proxy, the address that a client claims has no effect"


def test_a_server_error_is_a_problem_without_details(client, cup, monkeypatch, caplog):
    def broken(_reader, _pk):
        raise RuntimeError("the password is hunter2")

    monkeypatch.setattr(views, "readable_contest", broken)
    client.raise_request_exception = False
    answer = problem(client.get("/api/v1/contests/1/"), 500)
    assert "hunter2" not in str(answer)
    assert "hunter2" in caplog.text, "but it is logged"


def test_a_server_error_sends_djangos_signal(client, cup, monkeypatch):
    def broken(_reader, _pk):
        raise RuntimeError("announced")

    monkeypatch.setattr(views, "readable_contest", broken)
    with pytest.raises(RuntimeError, match="announced"):
        client.get("/api/v1/contests/1/")


def test_too_many_parameters_are_refused(client, cup):
    query = "&".join(f"p{i}=1" for i in range(2000))
    problem(client.get(f"/api/v1/series/?{query}"), 400)


def test_a_missing_final_slash_is_added(client, cup):
    response = client.get("/api/v1/communities/main/series/cup/leaderboard?page=1")
    assert (response.status_code, response["Location"]) == (
        308,
        "/api/v1/communities/main/series/cup/leaderboard/?page=1",
    )
    assert client.get("/api/v1/communities/main/players/a%20b")["Location"] == "/api/v1/communities/main/players/a%20b/"
