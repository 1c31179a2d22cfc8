"""Addresses of pages that show ratings."""

from django.urls import path

from ratings.views import contest, home, leaderboard, player, players, series, tiers

urlpatterns = [
    path("", home.home, name="home"),
    path("series/", series.series_list, name="series-list"),
    path("series/<slug:slug>/", series.series_page, name="series"),
    path("series/<slug:slug>/leaderboard/", leaderboard.leaderboard, name="leaderboard"),
    path("contests/<int:pk>/", contest.contest_page, name="contest"),
    path("players/", players.search, name="players"),
    path("players/<handle:handle>/", player.player_page, name="player"),
    path("tiers/<str:schemes>.css", tiers.styles, name="tier-styles"),
]
