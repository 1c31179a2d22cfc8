"""URLs of the runs of a series."""

from django.urls import path

from web.organize.runs import views

urlpatterns = [
    path("series/<slug:slug>/progress/", views.progress, name="progress"),
    path("series/<slug:slug>/progress.json", views.progress_json, name="progress-json"),
    path("series/<slug:slug>/ring/", views.wake_worker, name="ring"),
    path("series/<slug:slug>/rate-results/", views.rate_results, name="rate-results"),
    path("series/<slug:slug>/runs/", views.runs, name="runs"),
    path("series/<slug:slug>/runs/compare/", views.comparison, name="runs-compare"),
    path("series/<slug:slug>/runs/compare.csv", views.comparison_csv, name="runs-compare-csv"),
    path("series/<slug:slug>/runs/<int:number>/", views.run, name="run"),
    path("series/<slug:slug>/runs/<int:number>/cancel/", views.cancel, name="run-cancel"),
    path("series/<slug:slug>/runs/<int:number>/roll-back/", views.roll_back, name="run-roll-back"),
]
