"""Addresses of players and their histories."""

from django.urls import path

from web.public.player import pictures, views

urlpatterns = [
    path("c/<slug:community>/players/<handle:handle>/", views.player_page, name="player"),
    path("c/<slug:community>/pictures/<int:pk>-<slug:digest>.webp", pictures.picture, name="player-picture"),
    # Not below players/, because a handle may contain slashes and takes the rest of the path.
    path("c/<slug:community>/histories/<handle:handle>/", views.history_csv, name="player-history"),
]
