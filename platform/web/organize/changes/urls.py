"""URLs of proposed changes."""

from django.urls import path

from web.organize.changes import views

urlpatterns = [
    path("change/", views.change, name="change"),
    path("change/progress.json", views.change_progress, name="change-progress"),
]
