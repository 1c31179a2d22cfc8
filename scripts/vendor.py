"""
Fetch what the pages use from other projects into static/vendor: one file each, with its licence and its hash.

    python scripts/vendor.py            needs npm, the network, and requirements-dev.txt

Nothing on a page comes from another host, and no build is needed: what is in static/vendor is what browsers get. A
test compares every file with versions.toml.
"""

from __future__ import annotations

import hashlib
import io
import re
import subprocess
import tarfile
import tempfile
from base64 import b64encode
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import sync_playwright
from webfont import StandIn, style_sheet, subset

if TYPE_CHECKING:
    from collections.abc import Iterator

STATIC = Path(__file__).resolve().parents[1] / "static"
VENDOR = STATIC / "vendor"
STYLES = STATIC / "css" / "fonts.css"

#: A missing source map makes collectstatic fail, and a map of a megabyte is not worth shipping.
SOURCE_MAP = re.compile(rb"\n?//# sourceMappingURL=\S*\s*$")


@dataclass(frozen=True)
class Package:
    """
    One file of one npm package, kept in `folder`; or all files that match a pattern, in lower case.

    bundled
        Other packages, as name@version, whose code is inside the file: their licences are kept with it.
    is_webfont
        Only the part of the font that pages need is kept.
    """

    name: str
    version: str
    file: str
    licence: str
    folder: str
    bundled: tuple[str, ...] = ()
    is_webfont: bool = False

    @property
    def is_set(self) -> bool:
        return "?" in self.file

    @property
    def source(self) -> str:
        return f"https://registry.npmjs.org/{self.name}/-/{self.name}-{self.version}.tgz"


PACKAGES = [
    Package("chart.js", "4.6.1", "dist/chart.umd.min.js", "MIT", "chartjs"),
    Package(
        "chartjs-adapter-date-fns", "3.0.0", "dist/chartjs-adapter-date-fns.bundle.min.js", "MIT", "chartjs-dates",
        bundled=("date-fns@2.19.0",),
    ),
    Package(
        "chartjs-plugin-annotation", "3.1.0", "dist/chartjs-plugin-annotation.min.js", "MIT", "chartjs-annotation"
    ),
    Package("chartjs-plugin-zoom", "2.2.0", "dist/chartjs-plugin-zoom.min.js", "MIT", "chartjs-zoom"),
    # Recognizes pinch and drag gestures for chartjs-plugin-zoom.
    Package("hammerjs", "2.0.8", "hammer.min.js", "MIT", "hammerjs"),
    # For text in pictures drawn by the server: Latin, Greek, Cyrillic, Arabic, Hebrew, Georgian, Armenian and symbols.
    Package("dejavu-fonts-ttf", "2.37.3", "ttf/DejaVuSans.ttf", "Bitstream-Vera", "dejavu"),
    Package("dejavu-fonts-ttf", "2.37.3", "ttf/DejaVuSans-Bold.ttf", "Bitstream-Vera", "dejavu"),
    # Flags of countries, 700 bytes each.
    Package("country-flag-icons", "1.6.20", "3x2/??.svg", "MIT", "flags"),
    # The font of the pages.
    Package("inter-ui", "4.1.1", "variable/InterVariable.woff2", "OFL-1.1", "inter", is_webfont=True),
]  # fmt: skip
#: All flags in one picture, in the order of their codes: its name, and the size of a flag in pixels.
FLAGS_SHEET, FLAG_SIZE, FLAGS_IN_ROW = "sheet.png", (72, 48), 16
#: Free fonts with the same widths as common system fonts: Arimo matches Arial, Helvetica and Liberation Sans.
WIDTHS = "5.3.0"


def main() -> None:
    """Fetch all packages and list them in versions.toml."""
    entries = [fetch(package) for package in PACKAGES]
    draw_flags()
    flags = next(package for package in PACKAGES if package.folder == "flags")
    entries.append(entry(replace(flags, file=FLAGS_SHEET)))
    (VENDOR / "versions.toml").write_text("# Written by scripts/vendor.py.\n\n" + "\n".join(entries))
    font = VENDOR / "inter/InterVariable.woff2"
    address = f"../vendor/{font.relative_to(VENDOR).as_posix()}"
    STYLES.write_text(style_sheet(font.read_bytes(), address, stand_ins()))


def stand_ins() -> list[StandIn]:
    """Return the fallback fonts, used until the webfont has loaded."""
    arial = ("Arial", "Liberation Sans", "Arimo", "Helvetica", "Helvetica Neue")
    arial_bold = ("Arial Bold", "Liberation Sans Bold", "Arimo Bold", "Helvetica Bold", "Helvetica Neue Bold")
    dejavu = ((VENDOR / f"dejavu/DejaVuSans{name}.ttf").read_bytes() for name in ("", "-Bold"))
    return [
        StandIn("Arial", arial, arial_bold, *widths("arimo")),
        StandIn("Roboto", ("Roboto",), ("Roboto Bold",), *widths("roboto")),
        StandIn("Noto Sans", ("Noto Sans", "Noto Sans Regular"), ("Noto Sans Bold",), *widths("noto-sans")),
        StandIn("DejaVu Sans", ("DejaVu Sans",), ("DejaVu Sans Bold",), *dejavu),
    ]


def widths(name: str) -> tuple[bytes, bytes]:
    """Return the regular and the bold face of a font, for measuring."""
    with packed(f"@fontsource/{name}@{WIDTHS}") as tar:
        regular, bold = (read(tar, f"package/files/{name}-latin-{weight}-normal.woff2") for weight in (400, 700))
    return regular, bold


def fetch(package: Package) -> str:
    """Store a package's file and licences; return its entry in versions.toml."""
    folder = VENDOR / package.folder
    folder.mkdir(parents=True, exist_ok=True)
    with packed(f"{package.name}@{package.version}") as tar:
        found = {name: read(tar, name) for name in tar.getnames() if fnmatchcase(name, f"package/{package.file}")}
        (folder / "LICENSE").write_bytes(licence_in(tar))
    if not found:
        raise SystemExit(f"{package.file} is not a file of {package.name}; choose one of its files in PACKAGES")
    for other in package.bundled:
        with packed(other) as tar:
            (folder / f"{other.partition('@')[0]}.LICENSE").write_bytes(licence_in(tar))
    for name, code in found.items():
        target = folder / (Path(name).name.lower() if package.is_set else Path(name).name)
        target.write_bytes(subset(code) if package.is_webfont else SOURCE_MAP.sub(b"\n", code))
    return entry(package)


def draw_flags() -> None:
    """Draw all flags side by side into one picture, for cards: the server cannot draw SVG."""
    paths = sorted((VENDOR / "flags").glob("??.svg"))
    width, height = FLAG_SIZE
    pictures = "".join(
        f'<img width="{width}" height="{height}" src="data:image/svg+xml;base64,'
        f'{b64encode(path.read_bytes()).decode()}">'
        for path in paths
    )
    page = f"<style>body{{margin:0;font-size:0;width:{FLAGS_IN_ROW * width}px}}</style>{pictures}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch()
        sheet = browser.new_page(viewport={"width": FLAGS_IN_ROW * width, "height": height})
        sheet.set_content(page)
        drawn = sheet.screenshot(full_page=True)
        browser.close()
    image = Image.open(io.BytesIO(drawn)).convert("RGB").quantize(256)
    image.save(VENDOR / "flags" / FLAGS_SHEET, optimize=True)


@contextmanager
def packed(name: str) -> Iterator[tarfile.TarFile]:
    """Open a package, as name@version, from the npm registry."""
    with tempfile.TemporaryDirectory() as temporary:
        pack = ["npm", "pack", "--silent", name]
        archive = subprocess.run(pack, cwd=temporary, check=True, capture_output=True, text=True).stdout.strip()
        with tarfile.open(Path(temporary) / archive) as tar:
            yield tar


def licence_in(tar: tarfile.TarFile) -> bytes:
    """Return the licence that a package ships."""
    return read(tar, next(name for name in tar.getnames() if re.fullmatch(r"package/LICENSE(\.\w+)?", name)))


def read(tar: tarfile.TarFile, name: str) -> bytes:
    """Return one file of an archive."""
    member = tar.extractfile(name)
    if member is None:
        raise SystemExit(f"{name} is not a file in the package")
    return member.read()


def entry(package: Package) -> str:
    """Return the description of a stored file or set of files, in TOML; the hash is that of all their contents."""
    pattern = f"{package.folder}/{Path(package.file).name}"
    contents = b"".join(path.read_bytes() for path in sorted(VENDOR.glob(pattern)))
    values = {
        "name": package.name,
        "version": package.version,
        "source": package.source,
        "file": pattern,
        "sha256": hashlib.sha256(contents).hexdigest(),
        "licence": package.licence,
    }
    return "[[package]]\n" + "".join(f'{key} = "{value}"\n' for key, value in values.items())


if __name__ == "__main__":
    main()
