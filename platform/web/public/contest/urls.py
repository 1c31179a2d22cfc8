"""Addresses of contests."""

from django.urls import path

from web.public.contest import analysis_views, list_views, views

urlpatterns = [
    path("contests/", list_views.contest_list, name="contests"),
    path("contests/<int:pk>/", views.contest_page, name="contest"),
    path("contests/<int:pk>/analysis/", analysis_views.analysis, name="contest-analysis"),
]
