"""Addresses of season points."""

from django.urls import path

from web.public.seasons import views

urlpatterns = [
    path("c/<series:at>/season/", views.season, name="season"),
]
