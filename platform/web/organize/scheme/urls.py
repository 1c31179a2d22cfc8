"""Addresses: how a series is rated."""

from django.urls import path

from web.organize.scheme import views

urlpatterns = [
    path("series/<slug:slug>/scheme/", views.page, name="scheme"),
]
