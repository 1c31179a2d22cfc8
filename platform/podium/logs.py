"""Logs without secrets (invitations and password links in URLs, API tokens), and with the address of the client."""

from __future__ import annotations

import logging
import re
from typing import Any

from gunicorn.glogging import Logger

from accounts.client_address import forwarded_address
from accounts.token_keys import IN_TEXT
from podium import env

_SLASH = r"(?:/|%2F)"
#: Paths before a secret, where * stands for a segment, and what may follow them that is not secret.
_PATHS = (
    "/organize/invitations/", "/organize/c/*/invitations/", "/organize/contests/*/review/", "/accounts/reset/*/",
    "/accounts/confirm-email/", "/accounts/password/reset/key/",
)  # fmt: skip
_HARMLESS = (r"\d+/withdraw", "accept/", "set-password/", "[0-9a-z]+-set-password/", "done/")
_BEFORE = "|".join(path.replace("/", _SLASH).replace("*", r"[^/%\s]+") for path in _PATHS)
_NOT = "|".join(path.replace("/", _SLASH) for path in _HARMLESS)
#: The path before a secret, plain or inside a query such as `?next=`, and the secret up to the end of its segment. Also
#: the query with which other sites' sign-in sends people back.
_SECRET = re.compile(
    rf"((?:{_BEFORE})(?!{_NOT})(?=[^/?&#\s\"'>%])|/login/callback/\?)"
    r"((?<=\?)[^\s\"']+|[^/?&#\s\"'>%]+(?:%(?!2F)[^/?&#\s\"'>%]*)*)",
    re.IGNORECASE,
)
MASKED = "[secret]"


def mask(text: str) -> str:
    """Return the text with the secrets in URLs, and API tokens anywhere, replaced."""
    return IN_TEXT.sub(rf"\1_{MASKED}", _SECRET.sub(rf"\1{MASKED}", text))


class MaskedFormatter(logging.Formatter):
    """Formats records, by another formatter if one is given, and removes the secrets, even in tracebacks."""

    def __init__(self, *args: Any, formatter: logging.Formatter | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.formatter = formatter

    def format(self, record: logging.LogRecord) -> str:
        return mask(super().format(record) if self.formatter is None else self.formatter.format(record))


class MaskedLogger(Logger):
    """Gunicorn's log without secrets in the requested and the referring URL."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                handler.setFormatter(MaskedFormatter(formatter=handler.formatter))

    def atoms(self, resp: Any, req: Any, request_environ: Any, request_time: Any) -> dict[str, Any]:
        """Return the values for a line of the access log, masked."""
        atoms = super().atoms(resp, req, request_environ, request_time)
        return {name: mask(value) if isinstance(value, str) else value for name, value in atoms.items()}


class AccessLog(MaskedLogger):
    """Gunicorn's log without secrets, and with the address of the client."""

    def atoms(self, resp: Any, req: Any, request_environ: dict[str, Any], request_time: Any) -> dict[str, Any]:
        """Return the values for a line of the access log, masked; `h` is the address of the client."""
        atoms = super().atoms(resp, req, request_environ, request_time)
        address = forwarded_address(
            request_environ.get("REMOTE_ADDR", ""), request_environ.get("HTTP_X_FORWARDED_FOR", ""), env.TRUSTED_PROXIES
        )
        # Without a proxy that cleans it, the header may contain anything; this keeps the log entry on one line.
        atoms["h"] = re.sub(r"[^0-9A-Za-z.:_-]", "?", address)[:64] or "-"
        return atoms
