"""Handles in addresses: any handle has one, also "a/b", "." and "..", which browsers would read as folders."""

from __future__ import annotations

import re

_DOTS = re.compile(r"~*\.{1,2}")
_ESCAPED = re.compile(r"~+\.{1,2}")


class HandleConverter:
    """
    Path converter: between slashes, "." and ".." are written "~." and "~..".

    Browsers take single and double dots out of an address even when they are percent-encoded. What looks like the
    written form gets one more tilde.
    """

    regex = ".+"

    def to_python(self, value: str) -> str:
        return "/".join(part[1:] if _ESCAPED.fullmatch(part) else part for part in value.split("/"))

    def to_url(self, value: str) -> str:
        return "/".join(f"~{part}" if _DOTS.fullmatch(part) else part for part in value.split("/"))
