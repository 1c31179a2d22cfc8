"""Addresses of cards, badges and widgets for other sites."""

from django.urls import path

from web.public.share import views

urlpatterns = [
    path("cards/<handle:handle>/", views.card, name="card"),
    path("badges/<handle:handle>/", views.badge, name="badge"),
    path("widgets/<handle:handle>/", views.widget, name="widget"),
]
