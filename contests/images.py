"""
Uploaded images: logos of communities and pictures of players.

Podium redraws them in a small size, so it never serves the bytes of an upload or metadata such as a location.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zlib

from django.utils.translation import gettext
from PIL import Image, ImageOps, UnidentifiedImageError

from contests.errors import ContestError

#: Width and height of the stored files of a logo, and of a picture, in pixels.
LOGO_SIZES, PICTURE_SIZE = (64, 128, 256), 256
#: Formats that are read. Their readers run in this process, so the list is short.
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
#: Value of the attribute `accept` of file fields.
ACCEPTED = ",".join(f"image/{name.lower()}" for name in FORMATS)
#: The largest files, in bytes, for a logo and for a picture, which may come straight from a phone's camera.
LOGO_BYTES, PICTURE_BYTES = 2 * 2**20, 8 * 2**20
#: The largest number of pixels of an image (100 MB of memory once decoded): the largest photo of common phones.
MOST_PIXELS = 25_000_000
#: Smaller images would be blurred: logos if both sides are shorter than this, pictures if one side is.
FEWEST_PIXELS = 64
#: The largest ratio of the sides: a longer strip would be less than a few pixels high.
MOST_PROPORTION = 10
#: The quality of WebP files: a face then takes about 10 kB.
_QUALITY = 80
_CLEAR = (0, 0, 0, 0)
#: Errors of the readers about broken files.
_BROKEN = (OSError, ValueError, SyntaxError, EOFError, IndexError, TypeError, struct.error, zlib.error)


def check_bytes(size: int, most: int) -> None:
    """Raise ContestError if an uploaded image has more bytes than this, before anything reads it into memory."""
    if size > most:
        raise ContestError(
            gettext("The image is larger than %(most)s MB. Make it smaller and upload it again.")
            % {"most": most // 2**20}
        )


def logo_files(content: bytes) -> tuple[str, dict[int, bytes]]:
    """
    Return the hash of a logo and its PNG files by size, made from an uploaded image file.

    The image keeps its proportions in a transparent square. Metadata is dropped, and animations keep their first frame.
    ContestError if the file is too large, or is not an image in one of FORMATS.
    """
    image = _decoded(content, LOGO_BYTES)
    if max(image.size) < FEWEST_PIXELS:
        raise ContestError(_too_small(image, gettext("Make it at least %(fewest)s pixels wide or high.")))
    files = {size: _png(image, size) for size in LOGO_SIZES}
    # A hash of the result, so that the address changes when Podium draws logos differently.
    return _hash(*(files[size] for size in LOGO_SIZES)), files


def picture_file(content: bytes) -> tuple[str, bytes]:
    """
    Return the hash of a player's picture and its WebP file, made from an uploaded image file.

    The middle of the image becomes a square of PICTURE_SIZE. Otherwise as for `logo_files`.
    """
    image = _decoded(content, PICTURE_BYTES)
    if min(image.size) < FEWEST_PIXELS:
        raise ContestError(_too_small(image, gettext("Make it at least %(fewest)s pixels wide and high.")))
    square = ImageOps.fit(image, (PICTURE_SIZE, PICTURE_SIZE), Image.Resampling.LANCZOS)
    is_opaque = square.getchannel("A").getextrema() == (255, 255)
    file = io.BytesIO()
    # A new image has none of the uploaded one's metadata, such as colour profiles and comments.
    clean = Image.new("RGBA", square.size, _CLEAR)
    clean.paste(square)
    clean.convert("RGB" if is_opaque else "RGBA").save(file, "WEBP", quality=_QUALITY)
    content = file.getvalue()
    return _hash(content), content


def _hash(*files: bytes) -> str:
    return hashlib.sha256(b"".join(files)).hexdigest()[:16]


def _decoded(content: bytes, most_bytes: int) -> Image.Image:
    """Return an image upright and in RGBA; reduce a large one, but to no less than twice the size needed."""
    check_bytes(len(content), most_bytes)
    try:
        image = Image.open(io.BytesIO(content), formats=FORMATS)
        # The header is read first: a small file can describe an image that fills the memory.
        _check_size(*image.size)
        # A JPEG file can be decoded in a smaller size, which needs less time and memory.
        image.draft(None, (2 * PICTURE_SIZE, 2 * PICTURE_SIZE))
        decoded = image.convert("RGBA")
        reduced = decoded.reduce(max(1, min(decoded.size) // (2 * PICTURE_SIZE)))
        return _upright(reduced)
    except (UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise ContestError(
            gettext("This file is not an image that Podium can read. Upload one of these formats: %(formats)s.")
            % {"formats": ", ".join(FORMATS)}
        ) from error
    except _BROKEN as error:
        raise ContestError(gettext("This image is damaged. Save it again as PNG, and upload that file.")) from error


def _upright(image: Image.Image) -> Image.Image:
    try:
        return ImageOps.exif_transpose(image)
    except _BROKEN:
        # Broken metadata does not say which side is up, but the image itself is fine.
        return image


def _check_size(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise ContestError(
            gettext(
                "The image is %(width)s × %(height)s pixels, more than %(most)s million. Make it smaller and "
                "upload it again."
            )
            % {"width": width, "height": height, "most": MOST_PIXELS // 1_000_000}
        )
    if max(width, height) > MOST_PROPORTION * min(width, height):
        raise ContestError(
            gettext("The image is %(width)s × %(height)s pixels. Crop it: pages show it in a small square.")
            % {"width": width, "height": height}
        )


def _too_small(image: Image.Image, remedy: str) -> str:
    size = gettext("The image is %(width)s × %(height)s pixels.") % {"width": image.width, "height": image.height}
    return f"{size} {remedy % {'fewest': FEWEST_PIXELS}}"


def _png(image: Image.Image, size: int) -> bytes:
    fitted = ImageOps.contain(image, (size, size), Image.Resampling.LANCZOS)
    # A new image has none of the uploaded one's metadata, such as colour profiles and comments.
    square = Image.new("RGBA", (size, size), _CLEAR)
    square.paste(fitted, ((size - fitted.width) // 2, (size - fitted.height) // 2))
    file = io.BytesIO()
    square.save(file, "PNG", optimize=True)
    return file.getvalue()
