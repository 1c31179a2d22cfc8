"""Addresses of communities, addresses from before there were any, and an address that people guess."""

from django.urls import path, re_path
from django.views.generic import RedirectView

from web.public.community import views
from web.public.community.colours import accent_styles

urlpatterns = [
    path("c/", views.community_list, name="communities"),
    path("c/<slug:community>/", views.community_page, name="community"),
    path("c/<slug:community>/series/", views.community_series, name="community-series"),
    path("c/<slug:community>/players/", views.community_players, name="community-players"),
    path("c/<slug:community>/logo-<slug:digest>-<int:size>.png", views.logo, name="community-logo"),
    path("accents/<slug:colour>.css", accent_styles, name="accent-styles"),
    path(
        "communities/",
        RedirectView.as_view(pattern_name="communities", permanent=True, query_string=True),
        name="communities-in-full",
    ),
    re_path(r"^(?P<path>(?:series|players|histories|cards|badges|widgets)/[\s\S]+)\Z", views.moved, name="old-address"),
    re_path(r"^organize/(?P<path>series/[\s\S]+)\Z", views.moved_organize, name="old-organize-address"),
]
