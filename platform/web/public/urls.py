"""Addresses of the pages for visitors: each feature lists its own."""

from django.urls import include, path

from web.shared.tiers import styles

urlpatterns = [
    path("", include("web.public.home.urls")),
    path("", include("web.public.search.urls")),
    path("", include("web.public.series.urls")),
    path("", include("web.public.leaderboard.urls")),
    path("", include("web.public.leagues.urls")),
    path("", include("web.public.seasons.urls")),
    path("", include("web.public.distribution.urls")),
    path("", include("web.public.records.urls")),
    path("", include("web.public.regions.urls")),
    path("", include("web.public.forecast.urls")),
    path("", include("web.public.matchmaking.urls")),
    path("", include("web.public.how.urls")),
    path("", include("web.public.compare.urls")),
    path("", include("web.public.contest.urls")),
    path("", include("web.public.why.urls")),
    path("", include("web.public.player.urls")),
    path("", include("web.public.my_games.urls")),
    path("", include("web.public.share.urls")),
    path("", include("web.public.feeds.urls")),
    path("", include("web.public.crawlers.urls")),
    # Last, because its old addresses would hide the list of series and other addresses that begin in the same way.
    path("", include("web.public.community.urls")),
    path("tiers/<str:schemes>.css", styles, name="tier-styles"),
]
