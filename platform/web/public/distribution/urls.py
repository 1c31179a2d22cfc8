"""Addresses of rating distributions."""

from django.urls import path

from web.public.distribution import views

urlpatterns = [
    path("c/<series:at>/distribution/", views.distribution, name="distribution"),
]
