"""URLs of single games, and of those that players have reported."""

from django.urls import path

from web.organize.games import reports, results, views

urlpatterns = [
    path("c/<series:at>/games/new/", views.add, name="game-add"),
    path("contests/<int:pk>/result/", results.correct, name="game-result"),
    path("c/<series:at>/reports/", reports.page, name="reports"),
    path("reports/<int:pk>/", reports.decide, name="report-decide"),
]
