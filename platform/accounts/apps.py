from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """People who sign in."""

    name = "accounts"

    def ready(self) -> None:
        from accounts import audit, receivers  # noqa: F401

        audit.connect()
