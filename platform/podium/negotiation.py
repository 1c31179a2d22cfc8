"""What answers to programs are written in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.negotiation import DefaultContentNegotiation

if TYPE_CHECKING:
    from rest_framework.request import Request

JSON = "application/json"
PROBLEM = "application/problem+json"


class Negotiation(DefaultContentNegotiation):
    """Clients that can read problems can read JSON: whatever is no error is plain JSON for them."""

    def get_accept_list(self, request: Request) -> list[str]:
        accepted = super().get_accept_list(request)
        return [*accepted, JSON] if any(_media_type(one) == PROBLEM for one in accepted) else accepted


def _media_type(accepted: str) -> str:
    return accepted.partition(";")[0].strip().lower()
