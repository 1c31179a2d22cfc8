"""Fixtures of the tests of the REST API."""

import pytest
from django.test import Client
from rest_framework.throttling import SimpleRateThrottle


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
