"""Address of the page on how ratings work in a series."""

from django.urls import path

from web.public.how import views

urlpatterns = [
    path("c/<series:at>/how/", views.how, name="how"),
]
