"""Addresses of leagues."""

from django.urls import path

from web.public.leagues import views

urlpatterns = [
    path("series/<slug:slug>/leagues/", views.leagues, name="leagues"),
]
