"""Logs without the secrets in URLs (invitations, password links), and with the address of the client."""

from __future__ import annotations

import logging
import re
from typing import Any

from gunicorn.glogging import Logger

from accounts.client_address import forwarded_address
from podium import env

_SLASH = r"(?:/|%2F)"
#: The path before a secret, plain or inside a query such as `?next=`, and the secret up to the end of its segment.
_SECRET = re.compile(
    rf"({_SLASH}organize{_SLASH}invitations{_SLASH}|{_SLASH}accounts{_SLASH}reset{_SLASH}[^/%\s]+{_SLASH}|"
    rf"{_SLASH}accounts{_SLASH}confirm-email{_SLASH}|{_SLASH}accounts{_SLASH}password{_SLASH}reset{_SLASH}key{_SLASH})"
    rf"(?!\d+{_SLASH}withdraw|set-password{_SLASH}|[0-9a-z]+-set-password{_SLASH}|done{_SLASH})[^/?&#\s\"'>%]+(?:%(?!2F)[^/?&#\s\"'>%]*)*",
    re.IGNORECASE,
)
MASKED = "[secret]"


def mask(text: str) -> str:
    """Return the text with the secrets in URLs replaced."""
    return _SECRET.sub(rf"\1{MASKED}", text)


class MaskSecrets(logging.Filter):
    """Masks secrets in the messages of a handler."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        masked = mask(message)
        if masked != message:
            record.msg, record.args = masked, ()
        return True


class MaskedLogger(Logger):
    """Gunicorn's log without secrets, neither in the requested URL nor in the referring one."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                handler.addFilter(MaskSecrets())

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
        # Without a proxy that cleans it, the header may contain anything; this keeps the log line in one line.
        atoms["h"] = re.sub(r"[^0-9A-Za-z.:_-]", "?", address)[:64] or "-"
        return atoms
