"""Addresses of season points."""

from django.urls import path

from web.public.seasons import views

urlpatterns = [
    path("series/<slug:slug>/season/", views.season, name="season"),
]
