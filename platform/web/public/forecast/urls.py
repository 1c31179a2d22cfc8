"""Addresses of forecasts."""

from django.urls import path

from web.public.forecast import views

urlpatterns = [
    path("c/<series:at>/what-if/", views.what_if, name="what-if"),
]
