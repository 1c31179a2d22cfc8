"""
Template tags that write values: numbers, changes, percentages, tiers and leagues, in one way each.

Colours come from the scheme's style sheet (`tier_styles`), because the content security policy forbids inline styles.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django import template
from django.contrib.humanize.templatetags.humanize import ordinal
from django.utils.html import format_html
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from contests.team_labels import number_of_unnamed
from contests.wording import day_in_words, moment_in_words
from ratings.derived.league_tables import league_name
from ratings.derived.season_tables import player_season
from ratings.display import percentages
from ratings.display.leagues import PROVISIONAL
from ratings.queries import filters as filtering
from ratings.queries.contest_kinds import is_of_games, kinds_of
from ratings.queries.origins import offered_by
from ratings.queries.rows import newcomer_belief
from ratings.queries.snapshot import Scoring, scoring_of
from web.shared.contest_counts import counted_in_words, counted_label, rated_label
from web.shared.contest_options import contest_options
from web.shared.drawings import LINE_HEIGHT, LINE_WIDTH, sparkline
from web.shared.flags import flag
from web.shared.leagues import player_league
from web.shared.moments import day, day_of, from_days, has_days, is_same_day, moment, time_of_day
from web.shared.names import first_name, initials_of, is_long, second_name
from web.shared.numbers import MINUS, exact, localized, penalty, points, score, score_words, terms
from web.shared.outcomes import outcome_word
from web.shared.pictures import player_picture
from web.shared.stored_texts import cause_in_words, error_in_words, reason_in_words
from web.shared.system_words import band_words, deviation_words, own_parameters, system_name, system_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.utils.safestring import SafeString

    from contests.models import Series
    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.contest_counts import ContestCounts

register = template.Library()


@register.filter
def tier_class(snapshot: SeriesSnapshot, rating: int) -> str:
    """Return the CSS classes that give a displayed rating the colour of its tier."""
    scheme = snapshot.scheme.pk if snapshot.scheme else 0
    return f"tier tier-{scheme}-{_tier_number(snapshot, rating)}"


@register.filter
def tier_name(snapshot: SeriesSnapshot, rating: int) -> str:
    """Return the name of a displayed rating's tier."""
    return str(snapshot.tiers[_tier_number(snapshot, rating)].name)


def _tier_number(snapshot: SeriesSnapshot, rating: int) -> int:
    """Return the same as `SeriesSnapshot.tier_number`, ten times as fast for a single number."""
    return bisect_right(snapshot.tiers.thresholds, rating)


@register.filter
def country_name(code: str) -> str:
    """Return the name of a country in the active language, given its code."""
    return filtering.country_name(code)


for _written in (points, score, penalty, score_words, terms):
    register.filter(_written)
register.filter(outcome_word)
register.filter("initials", initials_of)
register.filter("of_games", is_of_games)
register.filter("kinds", kinds_of)
for _label in (counted_label, rated_label, counted_in_words):
    register.filter(_label)
register.filter("cause", cause_in_words)
register.filter("reason", reason_in_words)
register.filter("run_error", error_in_words)


@register.filter
def nth(value: int) -> str:
    """Write a place as an ordinal number with separators: "1,204th"."""
    return str(ordinal(value)).replace(str(value), points(value), 1)


@register.filter
def tenth(value: float) -> str:
    """Write a number with one decimal."""
    return localized(f"{value:,.1f}")


@register.filter
def whole_or_tenth(value: float) -> str:
    """Write a whole number as it is, and any other number with one decimal."""
    return points(value) if isinstance(value, int) else tenth(value)


@register.filter
def percentage(percent: float) -> str:
    """Write a number of percent with one decimal, never one above zero as 0.0 %."""
    return localized(percentages.percentage(percent))


@register.filter
def percentile(percent: float) -> str:
    """Write a percentile as a percentage without the sign, which the page has elsewhere or leaves out."""
    return percentage(percent).removesuffix(f"{percentages.NO_BREAK_SPACE}%")


@register.filter
def unlocalized(value: float) -> str:
    """Write a number for SVG, independent of the page's language."""
    return f"{value:g}"


@register.filter
def belief(value: float) -> str:
    """Write a raw mean or deviation with at least three significant digits."""
    decimals = 2 - math.floor(math.log10(abs(value))) if value else 1
    return localized(f"{value:,.{min(6, max(1, decimals))}f}")


@register.filter
def plain(value: float) -> str:
    """Write a number without trailing zeros: 2, 0.5, 2,400."""
    return localized(f"{value:,.6g}")


@register.filter
def said(value: Any) -> str:
    """Write a value from a form, before or after a change: a moment, a number, yes or no, or a text."""
    if value is None or value == "":
        return pgettext("a value that was empty", "none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, datetime):
        return moment_in_words(localtime(value))
    return exact(value) if isinstance(value, int | float) else str(value)


@register.filter
def duration(seconds: float) -> str:
    """Write an estimated duration in rounded units."""
    if seconds < 1:
        return _("less than a second")
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else localized(f"{seconds / 3600:.1f} h")


@register.filter
def host(url: str) -> str:
    """Return the host name of an address, as the text of a link to it."""
    return urlsplit(url).hostname or url


@register.filter
def estimate(snapshot: SeriesSnapshot, mu: float) -> str:
    """Write the best estimate of a strength in displayed points; conservative displays show lower ratings."""
    return points(snapshot.rating(mu))


@register.filter
def mapping_words(snapshot: SeriesSnapshot) -> str:
    """Return sentences on how the displayed rating follows from mean and deviation."""
    if snapshot.has_positions and snapshot.mapping.step == 1:
        top = points(snapshot.rating_of(-1.0, 1.0))
        return _("The displayed number is %(top)s at the top and one less for each position below.") % {"top": top}
    sentences = [_("The displayed number is the rating.") if snapshot.sigma_means == "nothing" else _estimate(snapshot)]
    scale = snapshot.mapping.sentence
    if scale is not None:
        numbers = {name: points(n) if isinstance(n, int) else plain(n) for name, n in scale.numbers.items()}
        sentences.append(_(scale.message) % numbers)
    if snapshot.scheme is not None and not snapshot.mapping.follows_players():
        start = points(snapshot.rating_of(*newcomer_belief(snapshot.scheme)))
        sentences.append(_("New players start at %(start)s.") % {"start": start})
    return " ".join(sentences)


def _estimate(snapshot: SeriesSnapshot) -> str:
    """Return a sentence on how the displayed rating follows from the mean and its uncertainty."""
    scoring = scoring_of(snapshot.scheme) if snapshot.scheme else Scoring()
    if not scoring.k:
        return _("The displayed number is the best estimate of the player’s strength.")
    if scoring.sig_limit:
        words = _(
            "The displayed number is the best estimate of the player’s strength, lowered by %(k)s times the part of "
            "its uncertainty above %(limit)s."
        )
    else:
        words = _(
            "The displayed number is the best estimate of the player’s strength, lowered by %(k)s times its "
            "uncertainty."
        )
    return words % {"k": plain(scoring.k), "limit": plain(scoring.sig_limit)}


@register.simple_tag
def rating(snapshot: SeriesSnapshot, value: int | None) -> SafeString | str:
    """Write a displayed rating: symbol and number in the tier's colour, and the tier's name for screen readers."""
    if value is None:
        return "–"
    tier = snapshot.tiers[_tier_number(snapshot, value)]
    return format_html(
        '<span class="rating {}" title="{}"><span class="tier-symbol" aria-hidden="true">{}</span>{}'
        '<span class="visually-hidden"> ({})</span></span>',
        tier_class(snapshot, value),
        tier.name,
        tier.symbol,
        points(value),
        tier.name,
    )


@register.simple_tag
def change(value: int | None) -> SafeString | str:
    """Write a rating change with a sign and an arrow, so that its colour is not the only cue."""
    if value is None:
        return "–"
    if value == 0:
        return format_html(
            '<span class="change change-none"><span class="change-mark" aria-hidden="true">{}</span>0</span>', "="
        )
    name, mark, sign = ("up", "▲", "+") if value > 0 else ("down", "▼", MINUS)
    return format_html(
        '<span class="change change-{}"><span class="change-mark" aria-hidden="true">{}</span>{}{}</span>',
        name, mark, sign, points(abs(value)),
    )  # fmt: skip


@register.simple_tag
def climb(ranks: int | None, is_new: bool = False) -> SafeString | str:
    """Write ranks gained or lost; an unchanged rank is only for screen readers."""
    if is_new:
        return format_html('<span class="badge badge-accent">{}</span>', _("new"))
    if ranks is None:
        return ""
    if ranks == 0:
        return format_html('<span class="visually-hidden">{}</span>', _("same rank"))
    if ranks > 0:
        name, mark, words = "up", "▲", ngettext("%(n)s rank up", "%(n)s ranks up", ranks)
    else:
        name, mark, words = "down", "▼", ngettext("%(n)s rank down", "%(n)s ranks down", -ranks)
    number = points(abs(ranks))
    return format_html(
        '<span class="change change-{}" title="{}"><span class="change-mark" aria-hidden="true">{}</span>'
        '<span aria-hidden="true">{}</span><span class="visually-hidden">{}</span></span>',
        name, words % {"n": number}, mark, number, words % {"n": number},
    )  # fmt: skip


@register.filter
def span(days: float) -> str:
    """
    Write a period: in days, from two years on in years with one decimal, and below one day in words.

    A number and its unit stay on one line.
    """
    if days < 1:
        return _("less than a day")
    whole = round(days)
    if days >= 730:
        words = _("%(years)s years") % {"years": tenth(days / 365.25)}
    else:
        words = ngettext("%(days)s day", "%(days)s days", whole) % {"days": points(whole)}
    return words.replace(" ", percentages.NO_BREAK_SPACE)


@register.filter
def percent_of(part: float, whole: float) -> str:
    """Write a part of a whole in whole percent."""
    return localized(percentages.percentage(percentages.whole_percent_of(part, whole), 0))


@register.filter
def has_origins(snapshot: SeriesSnapshot) -> bool:
    """Whether any rated player has a country or an affiliation, so that there are tables of these."""
    return any(offered_by(snapshot))


@register.simple_tag
def small_graph(snapshot: SeriesSnapshot, ratings: Sequence[int]) -> SafeString | str:
    """Draw displayed ratings, oldest first, in the colour of the last one's tier, with a text for both ends."""
    line = sparkline(ratings)
    if not line:
        return "–"
    words = _("From %(first)s to %(last)s") % {"first": points(ratings[0]), "last": points(ratings[-1])}
    return format_html(
        '<svg class="small-graph {}" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<polyline points="{}" vector-effect="non-scaling-stroke"/></svg>',
        tier_class(snapshot, ratings[-1]), LINE_WIDTH, LINE_HEIGHT, words, line,
    )  # fmt: skip


@register.simple_tag
def league(snapshot: SeriesSnapshot, number: int) -> SafeString:
    """Write a league by its position, as symbol and name in its colour, or “Provisional” for none."""
    name = league_name(snapshot, number)
    if name is None:
        return format_html('<span class="league soft">{}</span>', _("Provisional"))
    return format_html(
        '<span class="league {}"><span class="tier-symbol" aria-hidden="true">{}</span><bdi>{}</bdi></span>',
        league_class(snapshot, number), snapshot.tiers[number].symbol, name,
    )  # fmt: skip


@register.filter
def league_class(snapshot: SeriesSnapshot, number: int) -> str:
    """Return the CSS classes that give a league its colour."""
    return f"tier tier-{snapshot.scheme.pk if snapshot.scheme else 0}-{number}"


@register.filter
def league_of(leagues: dict[int, int], player: int) -> int:
    """Return a player's league from those of a page; PROVISIONAL if it is unknown."""
    return leagues.get(player, PROVISIONAL)


@register.filter
def division_of(divisions: dict[int, int] | None, player: int) -> int:
    """Return a player's division from those of a page; 0 without one."""
    return (divisions or {}).get(player, 0)


@register.filter
def in_words(counts: ContestCounts) -> str:
    """Write numbers of contests: “2 events, 1,500 games” or “3 contests”, and both for a series with both."""
    parts = []
    if counts.contests or not counts.events:
        parts.append((ngettext("%(number)s contest", "%(number)s contests", counts.contests), counts.contests))
    if counts.events:
        parts.append((ngettext("%(number)s event", "%(number)s events", counts.events), counts.events))
        parts.append((ngettext("%(number)s game", "%(number)s games", counts.games), counts.games))
    return ", ".join(words % {"number": points(number)} for words, number in parts)


@register.filter
def community_of(names: dict[str, str], series: Series) -> str:
    """Return the name of the community of a series from the names that a page shows; empty if it shows none."""
    return names.get(series.community_id, "")


@register.filter
def team_label(team: str) -> str:
    """Return the name of a team, or “Team 3” if the file gave none."""
    number = number_of_unnamed(team)
    return _("Team %(number)s") % {"number": number} if number else team


@register.filter
def is_unnamed(team: str) -> bool:
    """Return whether the file gave the team no name."""
    return bool(number_of_unnamed(team))


@register.filter
def league_title(snapshot: SeriesSnapshot, number: int) -> str:
    """Return the name of a league, or “Provisional”."""
    return league_name(snapshot, number) or _("Provisional")


@register.filter
def league_symbol(snapshot: SeriesSnapshot, number: int) -> str:
    """Return the symbol of a league."""
    return str(snapshot.tiers[number].symbol)


register.simple_tag(moment)
register.simple_tag(day)
register.filter(day_of)
register.filter(day_in_words)
register.filter(contest_options)
register.filter(from_days)
register.filter(has_days)
register.filter(is_same_day)
register.filter(time_of_day)
register.simple_tag(flag)
register.simple_tag(player_picture)
register.simple_tag(player_league)
register.simple_tag(player_season)
register.filter(system_name)
register.filter(system_words)
register.filter(own_parameters)
register.filter(deviation_words)
register.filter(band_words)
register.filter(first_name)
register.filter(is_long)
register.filter(second_name)
