"""URLs of single games."""

from django.urls import path

from web.organize.games import views

urlpatterns = [path("c/<series:at>/games/new/", views.add, name="game-add")]
