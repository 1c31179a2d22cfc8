"""Addresses of contests."""

from django.urls import path

from web.public.contest import views

urlpatterns = [
    path("contests/", views.contest_list, name="contests"),
    path("contests/<int:pk>/", views.contest_page, name="contest"),
    path("contests/<int:pk>/analysis/", views.contest_analysis, name="contest-analysis"),
]
