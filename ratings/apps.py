from django.apps import AppConfig


class RatingsConfig(AppConfig):
    """How standings become ratings."""

    name = "ratings"

    def ready(self) -> None:
        # The receivers of what contests announces and asks; the changes that are of ratings; names of deleted accounts.
        from ratings import changes, deleted_accounts, effects, receivers  # noqa: F401
