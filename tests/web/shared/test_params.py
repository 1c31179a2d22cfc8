"""Every handle has an address that survives a browser, and leads back to it."""

from urllib.parse import urljoin

from django.urls import reverse
from hypothesis import example, given
from hypothesis import strategies as st

from web.shared.params import HandleConverter

handles = st.lists(st.sampled_from([".", "..", "...", "~", "a", "/", "~.", " ", "é"]), min_size=1).map("".join)


@given(handles)
@example("../../etc/passwd")
@example("..")
@example("~..")
def test_an_address_leads_back_to_its_handle(handle):
    converter = HandleConverter()
    address = converter.to_url(handle)
    assert converter.to_python(address) == handle
    assert not {".", ".."} & set(address.split("/"))


def test_a_browser_stays_on_the_address_of_a_handle_of_dots():
    for handle in ("..", ".", "../../etc/passwd", "./run"):
        address = reverse("player", args=["main", handle])
        assert urljoin("http://site/", address) == f"http://site{address}"
