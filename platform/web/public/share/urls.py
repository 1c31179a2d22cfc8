"""Addresses of cards, badges and widgets for other sites."""

from django.urls import path

from web.public.share import views

urlpatterns = [
    path("c/<slug:community>/cards/<handle:handle>/", views.card, name="card"),
    path("c/<slug:community>/badges/<handle:handle>/", views.badge, name="badge"),
    path("c/<slug:community>/widgets/<handle:handle>/", views.widget, name="widget"),
]
