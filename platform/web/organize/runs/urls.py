"""URLs of the runs of a series."""

from django.urls import path

from web.organize.runs import comparison, rolling_back, views

urlpatterns = [
    path("c/<series:at>/progress/", views.progress, name="progress"),
    path("c/<series:at>/progress.json", views.progress_json, name="progress-json"),
    path("c/<series:at>/ring/", views.wake_worker, name="ring"),
    path("c/<series:at>/rate-results/", views.rate_results, name="rate-results"),
    path("c/<series:at>/runs/", views.runs, name="runs"),
    path("c/<series:at>/runs/compare/", comparison.comparison, name="runs-compare"),
    path("c/<series:at>/runs/compare.csv", comparison.comparison_csv, name="runs-compare-csv"),
    path("c/<series:at>/runs/<int:number>/", views.run, name="run"),
    path("c/<series:at>/runs/<int:number>/cancel/", views.cancel, name="run-cancel"),
    path("c/<series:at>/runs/<int:number>/roll-back/", rolling_back.roll_back, name="run-roll-back"),
]
