"""Addresses of robots.txt, of the site maps and of security.txt."""

from django.urls import path

from web.public.crawlers import sitemaps, views

urlpatterns = [
    path("robots.txt", views.robots, name="robots"),
    path(".well-known/security.txt", views.security_contact, name="security-contact"),
    path("sitemap.xml", sitemaps.index, name="sitemap"),
    path("sitemap-series.xml", sitemaps.series_map, name="sitemap-series"),
    path("c/<series:at>/sitemap-contests.xml", sitemaps.contests_map, name="sitemap-contests"),
    path("c/<series:at>/sitemap-players-<int:number>.xml", sitemaps.players_map, name="sitemap-players"),
]
