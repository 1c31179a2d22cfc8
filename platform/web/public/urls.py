"""Addresses of pages that show ratings."""

from django.urls import path

from web.public.compare import views as compare
from web.public.contest import analysis_views as contest_analysis
from web.public.contest import list_views as contest_list
from web.public.contest import views as contest
from web.public.distribution import views as distribution
from web.public.forecast import views as what_if
from web.public.home import views as home
from web.public.how import views as how
from web.public.leaderboard import views as leaderboard
from web.public.leagues import views as leagues
from web.public.player import history_views as player_history
from web.public.player import views as player
from web.public.records import views as records
from web.public.regions import views as regions
from web.public.search import player_views as players
from web.public.search import views as search
from web.public.seasons import views as season
from web.public.series import views as series
from web.public.share import views as share
from web.public.why import views as why
from web.shared import tier_styles as tiers

urlpatterns = [
    path("contests/", contest_list.contest_list, name="contests"),
    path("", home.home, name="home"),
    path("search/", search.search, name="search"),
    path("suggest/", search.suggest, name="suggest"),
    path("series/", series.series_list, name="series-list"),
    path("series/<slug:slug>/", series.series_page, name="series"),
    path("series/<slug:slug>/leaderboard/", leaderboard.leaderboard, name="leaderboard"),
    path("series/<slug:slug>/leagues/", leagues.leagues, name="leagues"),
    path("series/<slug:slug>/season/", season.season, name="season"),
    path("series/<slug:slug>/distribution/", distribution.distribution, name="distribution"),
    path("series/<slug:slug>/records/", records.records, name="records"),
    path("series/<slug:slug>/countries/", regions.countries, name="countries"),
    path("series/<slug:slug>/affiliations/", regions.affiliations, name="affiliations"),
    path("series/<slug:slug>/what-if/", what_if.what_if, name="what-if"),
    path("series/<slug:slug>/how/", how.how, name="how"),
    path("compare/", compare.compare, name="compare"),
    path("contests/<int:pk>/", contest.contest_page, name="contest"),
    path("contests/<int:pk>/analysis/", contest_analysis.analysis, name="contest-analysis"),
    path("contests/<int:pk>/why/<handle:handle>/", why.why, name="why"),
    path("players/", players.search, name="players"),
    path("players/<handle:handle>/", player.player_page, name="player"),
    # Not below players/: a handle may hold slashes, and takes what is left.
    path("histories/<handle:handle>/", player_history.history_csv, name="player-history"),
    path("cards/<handle:handle>/", share.card, name="card"),
    path("badges/<handle:handle>/", share.badge, name="badge"),
    path("widgets/<handle:handle>/", share.widget, name="widget"),
    path("tiers/<str:schemes>.css", tiers.styles, name="tier-styles"),
]
