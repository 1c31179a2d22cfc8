"""Fixtures of the tests of the REST interface."""

import pytest
from django.test import Client
from rest_framework.throttling import SimpleRateThrottle


def pytest_ignore_collect(collection_path, config):
    """Leave out the made-up requests on the second database: no query of them depends on it."""
    return True if config.option.database_only and collection_path.name == "test_schema_requests.py" else None


@pytest.fixture(autouse=True)
def _unlimited(monkeypatch):
    """Remove the rate limit; the test of the limit sets its own."""
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"anon": None, "token": None})


@pytest.fixture
def client():
    """Return a client that sends requests like a browser for a page of another origin."""
    return Client(headers={"Origin": "https://elsewhere.example"})


@pytest.fixture
def get(client):
    """Return a function that requests an address below /api/v1/ and returns the JSON of the successful response."""

    def answer(address, **parameters):
        response = client.get(f"/api/v1/{address}", parameters)
        assert response.status_code == 200, response.content
        return response.json()

    return answer
