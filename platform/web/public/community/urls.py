"""Addresses of communities, and addresses from before there were any."""

from django.urls import path, re_path

from web.public.community import views

urlpatterns = [
    path("c/", views.community_list, name="communities"),
    path("c/<slug:community>/", views.community_page, name="community"),
    re_path(r"^(?P<path>(?:series|players|histories|cards|badges|widgets)/[\s\S]+)\Z", views.moved, name="old-address"),
    re_path(r"^organize/(?P<path>series/[\s\S]+)\Z", views.moved_organize, name="old-organize-address"),
]
