from django.apps import AppConfig
from django.urls import register_converter


class WebConfig(AppConfig):
    """Pages for people: what visitors see, and what organizers do."""

    name = "web"

    def ready(self) -> None:
        from contests import providers
        from web.shared.params import HandleConverter, SeriesConverter
        from web.shared.projected_rows import projected_effects

        register_converter(HandleConverter, "handle")
        register_converter(SeriesConverter, "series")
        providers.register_ratings_preview(projected_effects)
