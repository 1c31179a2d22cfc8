"""URLs of the REST API, version 1."""

from django.urls import path, re_path

from contests.api import views as contests
from podium.api import Docs, Root, Schema, Unknown
from ratings.api.changes import Changes
from ratings.api.compare import Compare
from ratings.api.leagues import LeagueOverview, LeaguePlayers, SeasonList, SeasonStandings
from ratings.api.matchmaking import Match, Opponents, Pairings, Teams
from ratings.api.players import (
    ContestChanges,
    PlayerById,
    PlayerChallenges,
    PlayerDetail,
    PlayerHistory,
    PlayerHistoryById,
)
from ratings.api.series import CommunitySeries, Distribution, Leaderboard, RunList, SeriesDetail, SeriesList

app_name = "api"
urlpatterns = [
    path("", Root.as_view(), name="root"),
    path("schema/", Schema.as_view(), name="schema"),
    path("docs/", Docs.as_view(), name="docs"),
    path("series/", SeriesList.as_view(), name="series-list"),
    path("communities/", contests.CommunityList.as_view(), name="communities"),
    path("communities/<slug:community>/", contests.CommunityDetail.as_view(), name="community"),
    path("communities/<slug:community>/series/", CommunitySeries.as_view(), name="community-series"),
    path("communities/<slug:community>/series/<slug:slug>/", SeriesDetail.as_view(), name="series"),
    path("communities/<slug:community>/series/<slug:slug>/leaderboard/", Leaderboard.as_view(), name="leaderboard"),
    path("communities/<slug:community>/series/<slug:slug>/distribution/", Distribution.as_view(), name="distribution"),
    path("communities/<slug:community>/series/<slug:slug>/events/", contests.SeriesEvents.as_view(), name="events"),
    path("communities/<slug:community>/series/<slug:slug>/leagues/", LeagueOverview.as_view(), name="leagues"),
    path(
        "communities/<slug:community>/series/<slug:slug>/leagues/players/",
        LeaguePlayers.as_view(),
        name="league-players",
    ),
    path("communities/<slug:community>/series/<slug:slug>/seasons/", SeasonList.as_view(), name="seasons"),
    path(
        "communities/<slug:community>/series/<slug:slug>/seasons/<int:number>/",
        SeasonStandings.as_view(),
        name="season",
    ),
    path("communities/<slug:community>/series/<slug:slug>/runs/", RunList.as_view(), name="runs"),
    path("communities/<slug:community>/series/<slug:slug>/match/", Match.as_view(), name="match"),
    path("communities/<slug:community>/series/<slug:slug>/opponents/", Opponents.as_view(), name="opponents"),
    path("communities/<slug:community>/series/<slug:slug>/pairings/", Pairings.as_view(), name="pairings"),
    path("communities/<slug:community>/series/<slug:slug>/teams/", Teams.as_view(), name="teams"),
    path("communities/<slug:community>/series/<slug:slug>/changes/", Changes.as_view(), name="changes"),
    path("communities/<slug:community>/players/", contests.CommunityPlayers.as_view(), name="community-players"),
    # Before the player: a handle may contain slashes and matches the rest of the path.
    path("communities/<slug:community>/players/<handle:handle>/history/", PlayerHistory.as_view(), name="history"),
    path("communities/<slug:community>/players/<handle:handle>/", PlayerDetail.as_view(), name="player"),
    path("compare/", Compare.as_view(), name="compare"),
    path("contests/", contests.ContestList.as_view(), name="contests"),
    path("contests/<int:pk>/", contests.ContestDetail.as_view(), name="contest"),
    path("contests/<int:pk>/scores/", contests.ScoreList.as_view(), name="scores"),
    path("contests/<int:pk>/standings/", contests.StandingList.as_view(), name="standings"),
    path("contests/<int:pk>/rating-changes/", ContestChanges.as_view(), name="rating-changes"),
    path("players/", contests.PlayerList.as_view(), name="players"),
    path("players/<int:pk>/challenges/", PlayerChallenges.as_view(), name="challenges"),
    path("players/<int:pk>/history/", PlayerHistoryById.as_view(), name="history-by-id"),
    path("players/<int:pk>/", PlayerById.as_view(), name="player-by-id"),
    re_path(r"^(?P<path>[\s\S]*)\Z", Unknown.as_view(), name="unknown"),
]
