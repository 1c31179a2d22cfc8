"""
The text of an API token: `podium_`, eight characters that Podium stores, `_`, and a secret of 256 bits.

The prefix is the same for all sites, so that programs that search code and logs for secrets can recognize a token. This
module needs no database, because the logs use it before Django has started.
"""

from __future__ import annotations

import re

from rest_framework_api_key.crypto import KeyGenerator

#: A token, or its beginning, anywhere in a text. Logs may show the group, and fewer characters of the secret.
IN_TEXT = re.compile(r"(podium(?:_|%5F)[0-9A-Za-z]{8})(?:_|%5F)[0-9A-Za-z]{20,}", re.IGNORECASE)
_WHOLE = re.compile(r"podium_([0-9A-Za-z]{8})_[0-9A-Za-z]{43}")
#: 43 letters and digits have 256 bits.
_SECRET_LENGTH = 43


class TokenKeys(KeyGenerator):
    """Makes tokens, and the hashes by which Podium recognizes them: SHA-512, compared in constant time."""

    def __init__(self) -> None:
        super().__init__(secret_key_length=_SECRET_LENGTH)

    def generate(self) -> tuple[str, str, str]:
        """Return a new token, the part of it that identifies it, and its hash."""
        prefix = self.get_prefix()
        token = f"podium_{prefix}_{self.get_secret_key()}"
        return token, prefix, self.hash(token)


def prefix_of(token: str) -> str | None:
    """Return the part that identifies a token; None if the text does not have the form of one."""
    found = _WHOLE.fullmatch(token)
    return found[1] if found is not None else None
