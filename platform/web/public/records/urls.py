"""Addresses of records."""

from django.urls import path

from web.public.records import views

urlpatterns = [
    path("c/<series:at>/records/", views.records, name="records"),
]
