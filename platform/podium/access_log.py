"""Gunicorn's access log, with the address of who asked instead of that of the proxy."""

from __future__ import annotations

import re
from typing import Any

from accounts.client_address import forwarded_address
from podium import env
from podium.log_masking import MaskedLogger


class AccessLog(MaskedLogger):
    """Gunicorn's log without secrets, and with the address of the client."""

    def atoms(self, resp: Any, req: Any, request_environ: dict[str, Any], request_time: Any) -> dict[str, Any]:
        """Return what a line of the log may name; `h` is the address of the client."""
        atoms = super().atoms(resp, req, request_environ, request_time)
        address = forwarded_address(
            request_environ.get("REMOTE_ADDR", ""), request_environ.get("HTTP_X_FORWARDED_FOR", ""), env.TRUSTED_PROXIES
        )
        # Without a proxy that cleans it, the header may hold anything; a line of the log stays a line.
        atoms["h"] = re.sub(r"[^0-9A-Za-z.:_-]", "?", address)[:64] or "-"
        return atoms
