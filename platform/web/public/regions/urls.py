"""Addresses of countries and affiliations."""

from django.urls import path

from web.public.regions import views

urlpatterns = [
    path("c/<series:at>/countries/", views.countries, name="countries"),
    path("c/<series:at>/affiliations/", views.affiliations, name="affiliations"),
]
