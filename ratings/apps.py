from django.apps import AppConfig


class RatingsConfig(AppConfig):
    """How standings become ratings."""

    name = "ratings"

    def ready(self) -> None:
        from ratings import receivers  # noqa: F401  (connects the one receiver of results_changed)
