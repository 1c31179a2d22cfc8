from django.apps import AppConfig


class ContestsConfig(AppConfig):
    """Contests and their standings. This app knows nothing of ratings."""

    name = "contests"

    def ready(self) -> None:
        # The receivers update the index of names, and withdraw the invitations of a deleted account.
        from contests import receivers  # noqa: F401
