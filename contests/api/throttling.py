"""The refusal of too many requests; apart from other modules, because REST framework loads it with its settings."""

from __future__ import annotations

from rest_framework.exceptions import Throttled


class TooManyRequests(Throttled):
    """Too many requests, with the time to wait."""

    default_detail = "Too many requests."
    extra_detail_singular = "Try again in {wait} second."
    extra_detail_plural = "Try again in {wait} seconds."
