"""Addresses of players side by side."""

from django.urls import path

from web.public.compare import views

urlpatterns = [
    path("compare/", views.compare, name="compare"),
]
