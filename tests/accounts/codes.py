"""Codes of authenticator apps, computed from the algorithm's description (RFC 6238), not by the site's own code."""

import base64
import hashlib
import hmac
import struct
import time


def code_of(secret: str, at: float | None = None) -> str:
    """Return the six digits that an app shows for a secret."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(at or time.time()) // 30), hashlib.sha1).digest()
    start = digest[-1] & 0xF
    return f"{(struct.unpack('>I', digest[start : start + 4])[0] & 0x7FFFFFFF) % 10**6:06d}"
