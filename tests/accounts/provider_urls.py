"""The addresses of a site with the credentials of GitHub and Google."""

from django.urls import include, path

from podium.urls import urlpatterns as of_site

urlpatterns = [
    path("accounts/", include("allauth.socialaccount.providers.github.urls")),
    path("accounts/", include("allauth.socialaccount.providers.google.urls")),
    *of_site,
]
