"""Address of the comparison of players."""

from django.urls import path

from web.public.compare import views

urlpatterns = [
    path("compare/", views.compare, name="compare"),
]
