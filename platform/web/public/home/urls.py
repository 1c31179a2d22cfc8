"""Addresses of the front page."""

from django.urls import path

from web.public.home import views

urlpatterns = [
    path("", views.home, name="home"),
]
