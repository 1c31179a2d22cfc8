"""The organizers' pages."""

from django.urls import path

from ratings.views import organize_home

app_name = "organize"
urlpatterns = [
    path("", organize_home.home, name="home"),
]
