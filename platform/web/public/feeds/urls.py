"""Addresses of pages about contests alone."""

from django.urls import path

from web.public.feeds import views as feeds
from web.public.contest import list_views as contest_list

urlpatterns = [
    path("contests/", contest_list.contest_list, name="contests"),
    path("feeds/results.atom", feeds.results, name="feed-results"),
    path("feeds/contests.ics", feeds.calendar, name="feed-calendar"),
    path("series/<slug:slug>/results.atom", feeds.results, name="series-feed-results"),
    path("series/<slug:slug>/contests.ics", feeds.calendar, name="series-feed-calendar"),
]
