from django.apps import AppConfig


class ContestsConfig(AppConfig):
    """Results: who took part, in which place. Knows nothing of ratings."""

    name = "contests"
