"""Addresses of the search, its suggestions and the list of players."""

from django.urls import path

from web.public.search import views

urlpatterns = [
    path("search/", views.search, name="search"),
    path("suggest/", views.suggest, name="suggest"),
    path("players/", views.players_page, name="players"),
]
