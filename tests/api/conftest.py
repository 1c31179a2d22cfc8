"""What all tests of the REST interface share."""

import pytest
from django.test import Client
from rest_framework.throttling import SimpleRateThrottle


@pytest.fixture(autouse=True)
def _unlimited(monkeypatch):
    """Let a test ask as often as it likes; the test of the limit sets its own."""
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"anon": None})


@pytest.fixture
def client():
    """Return a client that asks as a browser does for a page of another origin."""
    return Client(headers={"Origin": "https://elsewhere.example"})


@pytest.fixture
def get(client):
    """Return a function from an address below /api/v1/ to the JSON of its answer, which must be a success."""

    def answer(address, **parameters):
        response = client.get(f"/api/v1/{address}", parameters)
        assert response.status_code == 200, response.content
        return response.json()

    return answer
