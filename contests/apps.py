from django.apps import AppConfig


class ContestsConfig(AppConfig):
    """Results: who took part, in which place. Knows nothing of ratings."""

    name = "contests"

    def ready(self) -> None:
        # What keeps the index of names true, and what ends the invitations of an account with it.
        from contests import deleted_accounts, receivers  # noqa: F401
