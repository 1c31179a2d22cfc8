"""Addresses of rating distributions."""

from django.urls import path

from web.public.distribution import views

urlpatterns = [
    path("series/<slug:slug>/distribution/", views.distribution, name="distribution"),
]
