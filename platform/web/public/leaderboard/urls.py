"""Addresses of leaderboards."""

from django.urls import path

from web.public.leaderboard import views

urlpatterns = [
    path("c/<series:at>/leaderboard/", views.leaderboard, name="leaderboard"),
]
