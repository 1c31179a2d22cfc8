"""Addresses of explanations of rating changes."""

from django.urls import path

from web.public.why import views

urlpatterns = [
    path("contests/<int:pk>/why/<handle:handle>/", views.why, name="why"),
]
