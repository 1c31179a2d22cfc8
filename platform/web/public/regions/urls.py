"""Addresses of countries and affiliations."""

from django.urls import path

from web.public.regions import views

urlpatterns = [
    path("series/<slug:slug>/countries/", views.countries, name="countries"),
    path("series/<slug:slug>/affiliations/", views.affiliations, name="affiliations"),
]
