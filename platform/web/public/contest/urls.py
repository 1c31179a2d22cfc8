"""Addresses of contests."""

from django.urls import path

from web.public.contest import views
from web.public.contest.download import standings_csv

urlpatterns = [
    path("contests/", views.contest_list, name="contests"),
    path("contests/<int:pk>/", views.contest_page, name="contest"),
    path("contests/<int:pk>/analysis/", views.contest_analysis, name="contest-analysis"),
    path("contests/<int:pk>/standings.csv", standings_csv, name="contest-csv"),
]
