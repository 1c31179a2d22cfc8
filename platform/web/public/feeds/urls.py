"""Addresses of feeds and calendars."""

from django.urls import path

from web.public.feeds import views as feeds

urlpatterns = [
    path("feeds/results.atom", feeds.results, name="feed-results"),
    path("feeds/contests.ics", feeds.calendar, name="feed-calendar"),
    path("c/<slug:community>/results.atom", feeds.community_results, name="community-feed-results"),
    path("c/<slug:community>/contests.ics", feeds.community_calendar, name="community-feed-calendar"),
    path("c/<series:at>/results.atom", feeds.results, name="series-feed-results"),
    path("c/<series:at>/contests.ics", feeds.calendar, name="series-feed-calendar"),
]
