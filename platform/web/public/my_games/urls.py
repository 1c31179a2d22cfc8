"""URLs of the games that players report."""

from django.urls import path

from web.public.my_games import views

urlpatterns = [
    path("games/", views.page, name="my-games"),
    path("games/c/<series:at>/report/", views.report, name="game-report"),
    path("games/reports/<int:pk>/", views.answer, name="game-report-answer"),
    path("games/players/<int:pk>/unlink/", views.unlink, name="player-unlink"),
    path("games/players/<int:pk>/picture/", views.picture, name="own-picture"),
    path("games/players/<int:pk>/mail/", views.mail, name="player-mail"),
]
