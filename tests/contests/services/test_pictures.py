"""Pictures of players: what an upload becomes, what is refused, and what merges do with them."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw

from contests.errors import ContestError
from contests.models import AuditEntry, Player, PlayerMerge, PlayerPicture
from contests.services.merging import merge_players, split_players
from contests.services.pictures import set_picture
from tests.contests.services.test_community_identity import bomb
from tests.factories import make_contest, make_player, make_series, make_user

pytestmark = pytest.mark.django_db


def photo(width: int = 300, height: int = 200, kind: str = "PNG", colour: str = "#cc0000", **options) -> bytes:
    """An image whose left third is blue; of the rest, the top third is green and the remainder has this colour."""
    image = Image.new("RGB", (width, height), colour)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width, height // 3), fill="#00cc00")
    draw.rectangle((0, 0, width // 3, height), fill="#0000cc")
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def stored(player: Player) -> Image.Image:
    return Image.open(io.BytesIO(bytes(PlayerPicture.objects.get(player=player).content)))


def main_colour(image: Image.Image, x: int, y: int) -> str:
    """The strongest colour of a pixel, which lossy compression does not change."""
    red, green, blue = image.convert("RGB").getpixel((x, y))
    return {red: "red", green: "green", blue: "blue"}[max(red, green, blue)]


def pictures() -> dict[str, str]:
    """Return the hash of each player's picture, after checking that the files belong to the same players."""
    assert set(PlayerPicture.objects.values_list("player", flat=True)) == set(
        Player.objects.exclude(picture="").values_list("pk", flat=True)
    )
    return dict(Player.objects.exclude(picture="").values_list("handle", "picture"))


def test_an_upload_becomes_a_square_webp_file_of_its_middle():
    ann = make_player("ann")
    for kind in ("PNG", "JPEG", "WEBP", "GIF"):
        set_picture(ann.pk, photo(2700, 900, kind))
        image = stored(ann)
        assert (image.format, image.size) == ("WEBP", (256, 256))
        # A third of the width on either side is gone, and the blue edge with it.
        assert [main_colour(image, 8, y) for y in (8, 248)] == ["green", "red"], kind
        assert len(PlayerPicture.objects.get().content) < 12_000


def test_the_camera_decides_which_side_is_up_and_no_metadata_stays():
    ann = make_player("ann")
    exif = Image.Exif()
    exif[0x0112] = 6  # orientation: the camera was turned by 90 degrees, so that the left edge is the upper one
    exif[0x010E] = "home of ann"
    upload = photo(900, 900, "JPEG", exif=exif, comment=b"secret", icc_profile=b"profile")
    assert b"home of ann" in upload
    set_picture(ann.pk, upload)
    image = stored(ann)
    assert [main_colour(image, 128, 8), main_colour(image, 248, 128), main_colour(image, 8, 248)] == [
        "blue", "green", "red",
    ]  # fmt: skip
    file = bytes(PlayerPicture.objects.get().content)
    assert not any(part in file for part in (b"ann", b"secret", b"EXIF", b"ICCP", b"XMP "))
    set_picture(ann.pk, photo(300, 300, "JPEG", exif=b"Exif\x00\x00broken"))
    assert main_colour(stored(ann), 8, 128) == "blue", "broken metadata are ignored"


def test_transparency_stays():
    ann, file = make_player("ann"), io.BytesIO()
    Image.new("RGBA", (100, 100), (255, 0, 0, 0)).save(file, "PNG")
    set_picture(ann.pk, file.getvalue())
    assert stored(ann).convert("RGBA").getpixel((128, 128))[3] == 0


def test_bad_files_are_refused_and_change_nothing():
    ann = make_player("ann")
    before = set_picture(ann.pk, photo()).picture
    refused = {
        "not an image": (b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"<script>1</script>", photo(kind="BMP")),
        "damaged": (photo()[:90], bomb(300, 300)),
        "5000 × 5001|30000": (bomb(5_000, 5_001),),
        "30000 × 30000|not an image": (bomb(30_000, 30_000),),
        "64 pixels wide and high": (photo(300, 63), photo(20, 20)),
        "Crop it": (photo(5_000, 70),),
        "larger than 8 MB": (photo() + bytes(8 * 2**20),),
    }  # fmt: skip
    for words, files in refused.items():
        for content in files:
            with pytest.raises(ContestError, match=words):
                set_picture(ann.pk, content)
    assert pictures() == {"ann": before}
    assert AuditEntry.objects.filter(action="player.picture").count() == 1


def test_setting_replacing_and_removing_are_recorded_but_repeating_them_is_not():
    ann, olga = make_player("ann"), make_user("olga")
    first = set_picture(ann.pk, photo(), actor=olga).picture
    assert set_picture(ann.pk, photo(), actor=olga).picture == first
    second = set_picture(ann.pk, photo(colour="#ffff00"), actor=olga).picture
    assert len({first, second, ""}) == 3
    set_picture(ann.pk, None, actor=olga)
    set_picture(ann.pk, None, actor=olga)
    assert pictures() == {}
    entries = AuditEntry.objects.filter(action="player.picture", player=ann, actor=olga).order_by("pk")
    assert [(entry.before["picture"], entry.after["picture"]) for entry in entries] == [
        ("", first), (first, second), (second, ""),
    ]  # fmt: skip


def test_a_merge_keeps_the_picture_or_takes_the_other_one_and_a_split_returns_it():
    ann, anna, ane = make_player("ann"), make_player("anna"), make_player("ane")
    red = set_picture(anna.pk, photo()).picture
    merge = merge_players(ann.pk, anna.pk, reason="one person")
    assert pictures() == {"ann": red}
    with pytest.raises(ContestError, match="merged into another player"):
        set_picture(anna.pk, photo(colour="#ffff00"))
    split_players(merge.pk, reason="two people")
    assert pictures() == {"anna": red}
    yellow = set_picture(ann.pk, photo(colour="#ffff00")).picture
    merge = merge_players(ann.pk, anna.pk, reason="one person")
    assert pictures() == {"ann": yellow, "anna": red}, "that of the merged player waits for a split"
    split_players(merge.pk, reason="two people")
    assert pictures() == {"ann": yellow, "anna": red}
    # Through two merges, and split in the order of the merges.
    set_picture(ann.pk, None)
    first = merge_players(ann.pk, anna.pk, reason="one person")
    second = merge_players(ane.pk, ann.pk, reason="one person")
    assert pictures() == {"ane": red}
    split_players(first.pk, reason="two people")
    assert pictures() == {"anna": red}
    split_players(second.pk, reason="two people")
    assert pictures() == {"anna": red}


def test_a_split_returns_no_picture_that_someone_has_replaced_or_removed():
    ann, anna = make_player("ann"), make_player("anna")
    for content in (None, photo(colour="#ffff00")):
        set_picture(anna.pk, photo())
        merge_players(ann.pk, anna.pk, reason="one person")
        kept = set_picture(ann.pk, content).picture
        split_players(PlayerMerge.objects.get(split_at=None).pk, reason="two people")
        assert pictures() == ({"ann": kept} if kept else {})


def test_a_merge_does_not_publish_the_picture_of_a_hidden_player():
    cup, secret, other = (
        make_series("cup"),
        make_series("secret", is_public=False),
        make_series("other", is_public=False),
    )
    make_contest(cup, standings=[("ann", 1), ("bob", 2)])
    make_contest(secret, standings=[("anna", 1), ("bo", 2)])
    make_contest(secret, standings=[("annie", 1), ("bo", 2)])
    make_contest(other, standings=[("ane", 1), ("bo", 2)])
    private = set_picture(make_player("anna").pk, photo()).picture
    for kept in ("ann", "ane"):
        merge = merge_players(make_player(kept).pk, make_player("anna").pk, reason="one person")
        assert pictures() == {"anna": private}, kept
        split_players(merge.pk, reason="two people")
    merge_players(make_player("annie").pk, make_player("anna").pk, reason="one person")
    assert pictures() == {"annie": private}, "the same people see both players"
