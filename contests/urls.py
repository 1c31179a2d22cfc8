"""Addresses of pages about contests alone."""

from django.urls import path

from contests.views import contest_list

urlpatterns = [
    path("contests/", contest_list.contest_list, name="contests"),
]
