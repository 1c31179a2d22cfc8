"""Addresses of leagues."""

from django.urls import path

from web.public.leagues import views

urlpatterns = [
    path("c/<series:at>/leagues/", views.leagues, name="leagues"),
]
