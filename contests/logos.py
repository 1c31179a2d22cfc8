"""Logos: uploaded images become small square PNG files, so that no byte of the upload itself is ever served."""

from __future__ import annotations

import hashlib
import io
import struct
import zlib

from django.utils.translation import gettext
from PIL import Image, ImageOps, UnidentifiedImageError

from contests.errors import ContestError

#: Width and height of the stored files in pixels.
LOGO_SIZES = (64, 128, 256)
#: Formats that are read. Their readers run in this process, so the list is short.
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
#: The largest file, and the largest number of pixels of a decoded image (64 MB of memory).
MOST_BYTES, MOST_PIXELS = 2 * 2**20, 16_000_000
#: Images smaller than this in both directions would be blurred.
FEWEST_PIXELS = 64
#: The largest ratio of the sides: a longer strip would be less than a few pixels high.
MOST_PROPORTION = 10
_CLEAR = (0, 0, 0, 0)
#: Errors of the readers about broken files.
_BROKEN = (OSError, ValueError, SyntaxError, EOFError, IndexError, TypeError, struct.error, zlib.error)


def logo_files(content: bytes) -> tuple[str, dict[int, bytes]]:
    """
    Return the hash of a logo and its PNG files by size, made from an uploaded image file.

    The image keeps its proportions in a transparent square. Metadata is dropped, and animations keep their first frame.
    ContestError if the file is too large, or is not an image in one of FORMATS.
    """
    if len(content) > MOST_BYTES:
        raise ContestError(
            gettext("The logo is larger than %(most)s MB. Make it smaller and upload it again.")
            % {"most": MOST_BYTES // 2**20}
        )
    image = _decoded(content)
    files = {size: _png(image, size) for size in LOGO_SIZES}
    # A hash of the result, so that the address changes when Podium draws logos differently.
    digest = hashlib.sha256(b"".join(files[size] for size in LOGO_SIZES)).hexdigest()[:16]
    return digest, files


def _decoded(content: bytes) -> Image.Image:
    try:
        image = Image.open(io.BytesIO(content), formats=FORMATS)
        # The header is read first: a small file can describe an image that fills the memory.
        _check_size(*image.size)
        turned = ImageOps.exif_transpose(image)
        return turned.convert("RGBA")
    except (UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise ContestError(
            gettext("This file is not an image. Upload a logo as %(formats)s.") % {"formats": ", ".join(FORMATS)}
        ) from error
    except _BROKEN as error:
        raise ContestError(gettext("This image is damaged. Save it again as PNG, and upload that file.")) from error


def _check_size(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        most = MOST_PIXELS // 1_000_000
        raise ContestError(
            gettext(
                "The logo is %(width)s × %(height)s pixels, more than %(most)s million. Make it smaller and "
                "upload it again."
            )
            % {"width": width, "height": height, "most": most}
        )
    if max(width, height) < FEWEST_PIXELS:
        raise ContestError(
            gettext(
                "The logo is %(width)s × %(height)s pixels. Make it at least %(fewest_pixels)s pixels wide or high."
            )
            % {"width": width, "height": height, "fewest_pixels": FEWEST_PIXELS}
        )
    if max(width, height) > MOST_PROPORTION * min(width, height):
        raise ContestError(
            gettext("The logo is %(width)s × %(height)s pixels. Crop it: pages show it in a small square.")
            % {"width": width, "height": height}
        )


def _png(image: Image.Image, size: int) -> bytes:
    fitted = ImageOps.contain(image, (size, size), Image.Resampling.LANCZOS)
    # A new image has none of the uploaded one's metadata, such as colour profiles and comments.
    square = Image.new("RGBA", (size, size), _CLEAR)
    square.paste(fitted, ((size - fitted.width) // 2, (size - fitted.height) // 2))
    file = io.BytesIO()
    square.save(file, "PNG", optimize=True)
    return file.getvalue()
