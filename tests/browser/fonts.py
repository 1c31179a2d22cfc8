"""Configurations of fonts: each shows a browser the fonts of one family and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

VENDOR = Path(__file__).resolve().parents[2] / "static" / "vendor"
SYSTEM = ("/usr/share/fonts", "/usr/local/share/fonts")
CONFIGURATION = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{folder}</dir>
  <cachedir>{cache}</cachedir>
  <match target="pattern"><edit name="family" mode="append" binding="weak"><string>{family}</string></edit></match>
</fontconfig>
"""


def only_font(family: str, folder: Path) -> dict[str, str]:
    """Return the variables that show a program only one family of fonts: a wide or a narrow one."""
    configuration = folder / "fonts.conf"
    found = {"DejaVu Sans": _wide, "Liberation Sans": _narrow}[family]()
    configuration.write_text(CONFIGURATION.format(folder=found, cache=folder / "cache", family=family))
    return {"FONTCONFIG_FILE": str(configuration)}


def _wide() -> Path:
    """DejaVu, which a bare Debian has."""
    return VENDOR / "dejavu"


def _narrow() -> Path:
    """Liberation, as wide as Arial."""
    for file in (file for folder in SYSTEM for file in Path(folder).rglob("LiberationSans-Regular.ttf")):
        return file.parent
    pytest.fail(
        "no Liberation fonts; make test installs them, on Debian or Ubuntu: sudo apt-get install fonts-liberation"
    )
