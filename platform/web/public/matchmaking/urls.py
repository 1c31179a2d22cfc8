"""Addresses of matchmaking."""

from django.urls import path

from web.public.matchmaking import lists, views

urlpatterns = [
    path("c/<series:at>/match/", views.match, name="match"),
    path("c/<series:at>/opponents/", views.opponents, name="opponents"),
    path("c/<series:at>/pairings/", lists.pairings, name="pairings"),
    path("c/<series:at>/pairings.csv", lists.pairings_csv, name="pairings-csv"),
    path("c/<series:at>/teams/", lists.teams, name="teams"),
    path("c/<series:at>/teams.csv", lists.teams_csv, name="teams-csv"),
]
