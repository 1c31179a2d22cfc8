"""Addresses of the list of series, and one series."""

from django.urls import path

from web.public.series import views

urlpatterns = [
    path("series/", views.series_list, name="series-list"),
    path("series/<slug:slug>/", views.series_page, name="series"),
]
