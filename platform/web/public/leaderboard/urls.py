"""Addresses of leaderboards."""

from django.urls import path

from web.public.leaderboard import views

urlpatterns = [
    path("series/<slug:slug>/leaderboard/", views.leaderboard, name="leaderboard"),
]
