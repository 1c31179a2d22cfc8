"""URLs of the rating scheme."""

from django.urls import path

from web.organize.scheme import views

urlpatterns = [
    path("c/<series:at>/scheme/", views.page, name="scheme"),
]
