"""Addresses of records."""

from django.urls import path

from web.public.records import views

urlpatterns = [
    path("series/<slug:slug>/records/", views.records, name="records"),
]
