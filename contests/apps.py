from django.apps import AppConfig
from django.urls import register_converter

from web.shared.converters import HandleConverter


class ContestsConfig(AppConfig):
    """Results: who took part, in which place. Knows nothing of ratings."""

    name = "contests"

    def ready(self) -> None:
        register_converter(HandleConverter, "handle")
        # What keeps the index of names true, and what ends the invitations of an account with it.
        from contests import deleted_accounts, receivers  # noqa: F401
