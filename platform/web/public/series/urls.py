"""Addresses of the list of series, and one series."""

from django.urls import path

from web.public.series import views

urlpatterns = [
    path("series/", views.series_list, name="series-list"),
    path("c/<series:at>/", views.series_page, name="series"),
]
