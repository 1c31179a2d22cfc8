"""The client address, by which the limits on logins and on the REST API tell clients apart."""

import pytest
from django.test import RequestFactory

from accounts.client_address import client_address, client_network


def asked(settings, proxies, forwarded="", direct="192.0.2.1"):
    settings.PODIUM_TRUSTED_PROXIES = proxies
    return RequestFactory().get("/", REMOTE_ADDR=direct, **({"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {}))


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "198.51.100.7", "192.0.2.1"),
        (1, "", "192.0.2.1"),
        (1, "198.51.100.7", "198.51.100.7"),
        (1, "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        (1, "203.0.113.9,198.51.100.7:4711", "198.51.100.7"),
        (2, "203.0.113.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        (2, "198.51.100.7", "198.51.100.7"),
        (1, "[2001:db8::7]:443", "2001:db8::7"),
        (1, "::ffff:198.51.100.7", "198.51.100.7"),
        (1, "unknown", "192.0.2.1"),
        (1, "x" * 100_000, "192.0.2.1"),
        (1, ",", "192.0.2.1"),
    ],
)
def test_only_what_trusted_proxies_append_is_believed(settings, proxies, forwarded, address):
    assert client_address(asked(settings, proxies, forwarded)) == address


def test_a_network_of_64_bits_is_one_client_and_other_networks_are_not(settings):
    first, second, third = (
        client_network(asked(settings, 0, direct=address))
        for address in ("2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:2::1")
    )
    assert first == second == "2001:db8:0:1::/64"
    assert third != first


def test_requests_without_an_address_count_together(settings):
    assert client_network(asked(settings, 0, direct="")) == "unknown"
