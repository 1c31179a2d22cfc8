"""Invitations as their recipients use them: the link is opened first, and then accepted in the same browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import reverse

if TYPE_CHECKING:
    from django.http import HttpResponse
    from django.test import Client


def show_invitation(client: Client, secret: str, **options: Any) -> HttpResponse:
    """Open a link and return the page of the invitation, or the one that says why it cannot be accepted."""
    answer = client.post(reverse("organize:invitation-open"), {"link": f"https://x/organize/invitations/#{secret}"})
    return client.get(answer["Location"], **options) if answer.status_code == 302 else answer


def accept(client: Client, secret: str, fields: dict[str, str] | None = None, **options: Any) -> HttpResponse:
    """Open a link and accept the invitation, with the fields of a new account if there are any."""
    answer = show_invitation(client, secret)
    is_open = answer.status_code == 200
    return client.post(reverse("organize:invitation-accept"), fields or {}, **options) if is_open else answer
