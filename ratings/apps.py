from django.apps import AppConfig


class RatingsConfig(AppConfig):
    """How standings become ratings."""

    name = "ratings"

    def ready(self) -> None:
        # The receivers of what contests announces and asks; and the changes that are of ratings.
        from ratings import changes, effects, receivers  # noqa: F401
