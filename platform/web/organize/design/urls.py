"""Addresses of the page that shows the design, for staff."""

from django.urls import path

from web.organize.design import views

urlpatterns = [
    path("", views.page, name="design"),
    path("tiers.css", views.tiers, name="design-tiers"),
]
