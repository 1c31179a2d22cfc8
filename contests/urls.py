"""Addresses of pages about contests alone."""

from django.urls import path

from contests import feeds
from contests.views import contest_list

urlpatterns = [
    path("contests/", contest_list.contest_list, name="contests"),
    path("feeds/results.atom", feeds.results, name="feed-results"),
    path("feeds/contests.ics", feeds.calendar, name="feed-calendar"),
    path("series/<slug:slug>/results.atom", feeds.results, name="series-feed-results"),
    path("series/<slug:slug>/contests.ics", feeds.calendar, name="series-feed-calendar"),
]
