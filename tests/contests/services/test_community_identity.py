"""Website, accent colour, licence and logo of a community."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image

from contests.errors import ContestError
from contests.models import AuditEntry, Community, CommunityLogo
from contests.services.communities import describe_community, set_logo
from tests.factories import make_community, make_user

pytestmark = pytest.mark.django_db


def picture(width: int = 300, height: int = 100, kind: str = "PNG", **options) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "#cc0000").save(file, kind, **options)
    return file.getvalue()


def described(**fields):
    return describe_community("main", name="Main", description="", visibility="public", **fields)


def test_website_colour_and_licence_are_kept_and_recorded():
    make_community("main")
    described(website="https://club.example/", accent="#1A7F37", licence="CC-BY-4.0", actor=make_user("ann"))
    community = Community.objects.get()
    assert (community.website, community.accent) == ("https://club.example/", "#1a7f37")
    assert community.licence_address == "https://creativecommons.org/licenses/by/4.0/"
    entry = AuditEntry.objects.get(action="community.describe")
    assert entry.after["accent"] == "#1a7f37"
    assert entry.before["accent"] == ""


def test_omitted_values_stay_and_empty_ones_clear_the_field():
    make_community("main", website="https://club.example/", licence="CC0-1.0")
    described(licence="")
    community = Community.objects.get()
    assert (community.website, community.licence) == ("https://club.example/", "")


@pytest.mark.parametrize(
    "fields",
    [
        {"website": "javascript:alert(1)"},
        {"website": "ftp://club.example/"},
        {"website": "club.example"},
        {"website": "https://club.example/" + "a" * 300},
        {"accent": "red"},
        {"accent": "#12345"},
        {"accent": "#123456;}"},
        {"licence": "WTFPL"},
    ],
)
def test_bad_values_are_refused_and_nothing_is_stored(fields):
    make_community("main")
    with pytest.raises(ContestError):
        described(**fields)
    assert not AuditEntry.objects.filter(action="community.describe").exists()
    assert Community.objects.get().website == ""


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_logo_becomes_square_png_files_of_three_sizes(kind):
    make_community("main")
    community = set_logo("main", picture(kind=kind))
    assert len(community.logo) == 16
    for size in (64, 128, 256):
        file = bytes(CommunityLogo.objects.get(community=community, size=size).content)
        assert file.startswith(b"\x89PNG\r\n\x1a\n")
        image = Image.open(io.BytesIO(file))
        assert image.size == (size, size)
        red, _, _, opacity = image.getpixel((size // 2, size // 2))
        assert red > 190
        assert opacity == 255
        assert image.getpixel((size // 2, 1))[3] == 0, "the proportions are kept"


def test_metadata_is_dropped():
    make_community("main")
    set_logo(
        "main",
        picture(256, 256, "JPEG", comment=b"home of ann", exif=b"Exif\x00\x00secret place", icc_profile=b"profile"),
    )
    for logo in CommunityLogo.objects.all():
        file = bytes(logo.content)
        assert b"ann" not in file
        assert b"secret" not in file
        assert b"iCCP" not in file
        assert b"eXIf" not in file


def test_a_new_logo_replaces_the_old_one_and_passing_none_removes_it():
    make_community("main")
    first = set_logo("main", picture()).logo
    second = set_logo("main", picture(100, 300)).logo
    assert first != second
    assert CommunityLogo.objects.count() == 3
    assert set_logo("main", None).logo == ""
    assert not CommunityLogo.objects.exists()
    assert AuditEntry.objects.filter(action="community.logo").count() == 3


def bomb(width: int, height: int) -> bytes:
    """A PNG file of a hundred bytes that claims to be this large."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"0")) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not an image"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "not an image"),
        (picture(kind="BMP"), "not an image"),
        (picture()[:90], "damaged"),
        (bomb(300, 300), "damaged"),
        (bomb(30_000, 30_000), "30000 × 30000|not an image"),
        (bomb(5_000, 5_001), "5000 × 5001"),
        (picture(20, 20), "20 × 20"),
        (picture(5_000, 1), "5000 × 1 pixels. Crop"),
        (picture() + b"0" * 2**21, "larger than 2 MB"),
    ],
    ids=["empty", "svg", "bmp", "cut", "no pixels", "huge", "large", "tiny", "strip", "heavy"],
)
def test_a_bad_logo_is_refused(content, words):
    make_community("main")
    with pytest.raises(ContestError, match=words):
        set_logo("main", content)
    assert Community.objects.get().logo == ""
    assert not CommunityLogo.objects.exists()
