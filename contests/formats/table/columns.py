"""Columns of a table: their names in the words of organizers and judging systems."""

from __future__ import annotations

import difflib
import re
import unicodedata
from typing import TYPE_CHECKING

from django.utils.translation import gettext

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


# Field -> its names, compared without case, spaces, punctuation and accents.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "rank": (
        "rank", "ranks", "ranking", "place", "placing", "pos", "position", "#", "standing", "final rank", "rk", "rang",
        "pl", "plc", "rg", "platz", "platzierung", "classement", "clt", "puesto", "posición", "clasificación",
        "posizione", "classifica", "posição", "colocação", "classificação", "miejsce", "место", "順位", "名次", "排名",
    ),
    "handle": (
        "handle", "user", "username", "user name", "user id", "player", "player name", "nick", "nickname", "login",
        "participant", "contestant", "competitor", "athlete", "driver", "rider", "runner", "entrant", "account", "who",
        "spieler", "spielerin", "teilnehmer", "teilnehmerin", "athlet", "athletin", "sportler", "fahrer", "benutzer",
        "benutzername", "joueur", "coureur", "pilote", "utilisateur", "jugador", "atleta", "piloto",
        "usuario", "giocatore", "concorrente", "jogador", "participante", "zawodnik", "uczestnik", "gracz", "участник",
        "ユーザ", "用户", "用户名",
    ),
    "score": (
        "score", "scores", "points", "point", "pts", "total", "total points", "total score", "sum", "punkte", "pkt",
        "pkte", "solved", "puntos", "puntuación", "punti", "punteggio", "pontos", "pontuação", "punkty", "очки", "得点",
        "总分",
    ),
    "name": (
        "name", "full name", "real name", "display name", "nom", "nom complet", "nom prénom", "nom et prénom",
        "prénom nom", "prénom et nom", "name vorname", "name, vorname", "vorname name", "nachname, vorname",
        "vorname nachname", "nombre completo", "nombre y apellidos", "apellidos y nombre", "apellidos, nombre",
        "nome e cognome", "cognome e nome", "cognome nome", "nome completo", "imię i nazwisko", "nazwisko i imię",
    ),
    "first_name": (
        "first name", "given name", "given names", "forename", "vorname", "vornamen", "prénom", "nombre", "nome",
        "imię", "имя",
    ),
    "last_name": (
        "last name", "family name", "surname", "nachname", "familienname", "zuname", "nom de famille", "apellido",
        "apellidos", "cognome", "sobrenome", "nazwisko", "фамилия",
    ),
    "country": (
        "country", "country code", "nation", "nationality", "noc", "fed", "federation", "flag", "land", "staat",
        "nationalität", "pays", "nationalité", "país", "nacionalidad", "paese", "nazione", "nazionalità", "kraj",
    ),
    "team": ("team", "team name", "group", "squad", "mannschaft", "équipe", "equipo", "squadra", "drużyna"),
    "status": ("status", "participation"),
    "penalty": (
        "penalty", "penalties", "time", "total time", "penalty time", "finish time", "zeit", "gesamtzeit", "strafe",
        "strafzeit", "temps", "tiempo", "tempo", "czas",
    ),
    "share": ("share", "share played", "share of play", "played", "play", "partial play", "anteil"),
    "handicap": ("handicap", "handicap points", "hcp", "head start", "vorgabe"),
}  # fmt: skip
FIELDS = tuple(SYNONYMS)
# Names of columns that contain a field only if no other column does: most tables that have them also have columns whose
# names are clearer, and only one column can be read. Of two such columns, such as the net and the gun time, the first
# one counts.
_SPARE_SYNONYMS: dict[str, tuple[str, ...]] = {
    "handle": ("hacker",),
    "score": ("summe", "gesamtpunkte", "gesamtpunktzahl", "punktzahl", "résolus"),
    "country": ("nat",),
    # Strokes in golf and penalty points: lower is better.
    "penalty": (
        "net time", "chip time", "gun time", "nettozeit", "bruttozeit", "strokes", "schläge", "pénalité", "pénalités",
        "strafpunkte",
    ),
}  # fmt: skip
# Names of columns of points, times or places; they are scores only if no other column has results.
_VAGUE_SCORES = ("gesamt",)
# Names of the home and the away side, whose letters in results are H and A.
HOME_NAMES = (
    "home", "home team", "home player", "heim", "heimmannschaft", "heimteam", "local", "equipo local", "casa",
    "squadra di casa", "domicile", "équipe à domicile", "home/neutral",
)  # fmt: skip
AWAY_NAMES = (
    "away", "away team", "away player", "gast", "gastmannschaft", "gastteam", "guest", "visitor", "visitors",
    "visiting team", "road team", "visitor/neutral", "visitante", "equipo visitante", "ospite", "squadra ospite",
    "extérieur", "équipe à l'extérieur",
)  # fmt: skip
_LOSER_NAMES = ("loser", "loser name", "losing side", "verlierer", "perdant", "perdedor", "perdente")
# The columns of a table of games, in the same way.
GAME_SYNONYMS: dict[str, tuple[str, ...]] = {
    "date": (
        "date", "day", "played", "played on", "date played", "time", "utc date", "date utc", "date time", "match date",
        "game date", "tourney date", "datum", "tag", "fecha", "data", "日期",
    ),
    "player_a": (
        "player_a", "player1", "p1", "a", "side a", "white", "white player", "weiß", "weiss", "blancs", "blancas",
        "team a", "team 1", "mannschaft 1", "spieler 1", "first player", "name 1", "name a", "challenger", "entrant 1",
        "competitor 1", "participant 1", "teilnehmer 1", "joueur 1", "jugador 1", "giocatore 1", "équipe 1", "equipo 1",
        "squadra 1", "fighter 1", *HOME_NAMES,
    ),
    "player_b": (
        "player_b", "player2", "p2", "b", "side b", "black", "black player", "schwarz", "noirs", "negras",
        "team b", "team 2", "mannschaft 2", "spieler 2", "second player", "opponent", "name 2", "name b", "challenged",
        "defender", "entrant 2", "competitor 2", "participant 2", "teilnehmer 2", "joueur 2", "jugador 2",
        "giocatore 2", "équipe 2", "equipo 2", "squadra 2", "fighter 2", "gegner", "gegnerin", "adversaire", "rival",
        "adversario", "oponente", "avversario", "avversaria",
        *AWAY_NAMES, *_LOSER_NAMES,
    ),
    "result": (
        "result", "results", "outcome", "score", "final score", "ergebnis", "endstand", "resultat", "résultat",
        "resultado", "marcador", "risultato",
    ),
    "winner": (
        "winner", "won by", "winning side", "winner name", "sieger", "gewinner", "vainqueur", "gagnant", "ganador",
        "vincitore", "vencedor", "zwycięzca",
    ),
    "score_a": (
        "score_a", "score1", "score home", "home score", "home goals", "white score", "points a", "points 1", "goals a",
        "goals 1", "sets a", "sets 1", "legs a", "legs 1", "frames a", "frames 1", "player 1 score", "score player 1",
        "team 1 score", "team a score", "score team 1", "score team a", "winner score", "winning score", "winning legs",
        "player score", "own score", "fthg", "hg",
    ),
    "score_b": (
        "score_b", "score2", "score away", "away score", "away goals", "black score", "points b", "points 2", "goals b",
        "goals 2", "sets b", "sets 2", "legs b", "legs 2", "frames b", "frames 2", "player 2 score", "score player 2",
        "team 2 score", "team b score", "score team 2", "score team b", "loser score", "losing score", "losing legs",
        "opponent score", "opponents score", "opp score", "opponent points", "opp points", "ftag", "ag",
    ),
    "handicap_a": (
        "handicap_a", "handicap1", "handicap a", "handicap white", "white handicap", "handicap home", "home handicap",
        "hcp a", "hcp 1",
    ),
    "handicap_b": (
        "handicap_b", "handicap2", "handicap b", "handicap black", "black handicap", "handicap away", "away handicap",
        "hcp b", "hcp 2",
    ),
    "round": ("round", "rd", "round number", "board", "runde", "ronde", "ronda", "tour", "match day", "spieltag",
              "jornada", "giornata", "journée"),
    "event": ("event", "tournament", "competition", "tourney name", "turnier", "tournoi", "torneo"),
}  # fmt: skip
GAME_FIELDS = tuple(GAME_SYNONYMS)
MAX_COLUMNS = 200
# Fields that can identify players, the preferred one first.
PLAYER_FIELDS = ("handle", "name", "team")
# Fields that are joined into a name, in this order.
NAME_PARTS = ("first_name", "last_name")
# Words used instead of a name in rows of totals, averages and other figures of the whole table.
_TOTALS = frozenset(
    {"total", "totals", "sum", "sums", "average", "mean", "summe", "gesamt", "durchschnitt", "mittelwert", "somme",
     "moyenne", "suma", "promedio", "totale", "media", "итого", "合計", "合计", "avg", "max.", "maximum", "min.",
     "minimum", "median", "summary", "stdev", "stddev", "stdabw", "standardabweichung", "zusammenfassung", "médiane",
     "mediana", "ø"}
)  # fmt: skip
# The same, of several words.
_TOTAL_PHRASES = frozenset(
    {"max points", "max score", "maximum points", "maximum score", "points max", "possible points", "points possible",
     "max punkte", "maximale punkte", "maximale punktzahl", "erreichbare punkte", "mögliche punkte", "points maximum",
     "std dev", "std deviation", "standard deviation", "écart type", "ecart type", "desviación estándar",
     "desviación típica", "deviazione standard"}
)  # fmt: skip
# First names that are also words for the highest and lowest scores.
_EXTREMES = frozenset({"max", "min"})
# Words at the beginning or end of such a name: “Grand Total”, “Team total 2”.
_TOTAL_WORDS = frozenset(
    {"total", "totals", "subtotal", "subtotals", "gesamt", "summe", "gesamtsumme", "gesamtergebnis", "zwischensumme",
     "teilergebnis", "teilsumme", "somme", "totale", "subtotale", "promedio", "average", "durchschnitt", "moyenne"}
)  # fmt: skip
_WORDS = re.compile(r"[^\W\d_]+")
# The column or JSON array that annotating a file adds; its texts are for people, and readers ignore it.
REMARKS = "remarks"


def field_of(header: str) -> str | None:
    """Return the field of a column with this name, None if the name is unknown."""
    return _FIELD_OF.get(simple_name(header))


def fields_of(headers: Sequence[str]) -> list[str | None]:
    """
    Return the field of each column by its name, None for unknown names and remarks.

    Some names count only if no other column has the field, so the result depends on all names.
    “First” and “Last” are parts of names only together or beside the other part, and not beside whole names.
    """
    found = [None if is_remarks(header) else field_of(header) for header in headers]
    for i, header in enumerate(headers):
        spare = _SPARE_FIELD_OF.get(simple_name(header))
        if spare is not None and spare not in found:
            found[i] = spare
    if {"rank", "score", "penalty"}.isdisjoint(found):
        vague = next((i for i, header in enumerate(headers) if simple_name(header) in _VAGUE_SCORES), None)
        if vague is not None:
            found[vague] = "score"
    bare = [_BARE_PARTS.get(simple_name(header)) for header in headers]
    if "name" in found or not set(NAME_PARTS) <= {*found, *bare}:
        return found
    return [part if part and part not in found else field for field, part in zip(found, bare, strict=True)]


def part_beside(fields: Collection[str]) -> str | None:
    """
    Return the part of a name that a column “name” contains, None if it contains whole names.

    “Name” beside “Vorname” is the last name, and “Name” beside “Surname” the first one.
    """
    missing = [part for part in NAME_PARTS if part not in fields]
    return missing[0] if len(missing) == 1 and "name" in fields else None


def totals_in(names: Sequence[str]) -> list[int]:
    """
    Return the positions of these names that probably head a total, an average or another figure of the whole table.

    “Max” and “Min” are first names too, so they count only beside each other or beside another figure.
    """
    plain = [name.casefold().strip(" :=") for name in names]
    found = {i for i, name in enumerate(names) if plain[i] in _TOTALS or _is_total(name.casefold())}
    extremes = {i for i, name in enumerate(plain) if name in _EXTREMES}
    if found or {plain[i] for i in extremes} == _EXTREMES:
        found |= extremes
    return sorted(found)


def _is_total(name: str) -> bool:
    words = _WORDS.findall(name)
    return " ".join(words) in _TOTAL_PHRASES or not _TOTAL_WORDS.isdisjoint((*words[:1], *words[-1:]))


def is_remarks(header: str) -> bool:
    """Whether this is the header of the remarks, which can include those on the whole file."""
    return header.strip().casefold().partition(":")[0] == REMARKS


def near_fields(header: str, taken: Collection[str | None] = ()) -> list[str]:
    """Return the fields with names similar to this unknown one, the most similar first, without those in `taken`."""
    # One wrong letter of four is too much: “paid” would be close to “pais”, a country in Spanish.
    near = difflib.get_close_matches(simple_name(header[:40]), _FIELD_OF, n=3, cutoff=0.8)
    return [field for field in dict.fromkeys(_FIELD_OF[name] for name in near) if field not in taken]


def unknown_column(header: str, taken: Collection[str | None] = ()) -> str:
    """Return a message about a column of unknown name: what it may mean (no field in `taken`), and what to do."""
    fields = near_fields(header, taken)
    names = {"near": gettext(" or ").join(fields), "fields": ", ".join(FIELDS)}
    if fields:
        return gettext("unknown column: did you mean %(near)s? Rename it to one of %(fields)s, or delete it.") % names
    return gettext("unknown column: rename it to one of %(fields)s, or delete it.") % names


def simple_name(header: str) -> str:
    """Return the name of a column without case, spaces, punctuation and accents."""
    plain = unicodedata.normalize("NFKD", header.casefold())
    return re.sub(r"[\W_]+", "", plain) or plain.strip()


_FIELD_OF = {simple_name(name): field for field, names in SYNONYMS.items() for name in names}
_SPARE_FIELD_OF = {simple_name(name): field for field, names in _SPARE_SYNONYMS.items() for name in names}
_GAME_FIELD_OF = {simple_name(name): field for field, names in GAME_SYNONYMS.items() for name in names}
# Names that are parts of names only beside the other part.
_BARE_PARTS = {"first": "first_name", "last": "last_name"}
# Columns that name the first side if another column names the second: "player, opponent, result".
_FIRST_SIDES = frozenset(
    map(
        simple_name,
        ("player", "name", "player name", "team", "handle", "spieler", "spielerin", "joueur", "jugador", "giocatore"),
    )
)
# Beside a column of losers, the winners are the first side.
_WINNERS = frozenset(map(simple_name, GAME_SYNONYMS["winner"]))
_LOSERS = frozenset(map(simple_name, _LOSER_NAMES))
# Names of dates that contain weekdays, times or numbers beside a column of dates.
_DATES = frozenset(map(simple_name, GAME_SYNONYMS["date"]))
_WEAK_DATES = frozenset(("day", "tag", "time", "played"))
# Names of the scores of the sides, if two columns have the same one.
_TWIN_SCORES = frozenset(map(simple_name, ("points", "pts", "goals", "g", "sets", "legs", "frames", "runs", "tore")))
# Names of sides that are tasks if another column names the players: "Rank, Team, A, B, C".
_SIDES_OR_TASKS = frozenset(("a", "b", "p1", "p2"))


def _scores_of_sides(headers: Sequence[str]) -> dict[int, str]:
    """Return the scores of the two sides if both columns have the same name: “Home, Score, Away, Score”."""
    names = [simple_name(header) for header in headers]
    scores = [name for name in names if _GAME_FIELD_OF.get(name) == "result" or name in _TWIN_SCORES]
    twice = next((name for name in scores if names.count(name) == 2), None)
    if twice is None:
        return {}
    results = [i for i, name in enumerate(names) if name == twice]
    sides = [_GAME_FIELD_OF.get(name) for name in names]
    is_swapped = "player_b" in sides and "player_a" in sides[sides.index("player_b") :]
    return dict(zip(results, ("score_b", "score_a") if is_swapped else ("score_a", "score_b"), strict=True))


def names_winners(header: str) -> bool:
    """Whether a column with this name has the winners of games."""
    return simple_name(header) in _WINNERS


def names_losers(header: str) -> bool:
    """Whether a column with this name has the losers of games."""
    return simple_name(header) in _LOSERS


def names_of_games(headers: Sequence[str]) -> dict[int, str]:
    """
    Return the field of each column of a table of games by its name, "" for unknown names.

    The result is empty unless the columns name two sides, and results, scores or winners.
    """
    fields = _fields_of_games(headers)
    named = set(fields.values())
    has_winners = any(field == "player_a" and names_winners(headers[i]) for i, field in fields.items())
    decides = not named.isdisjoint(("result", "winner")) or {"score_a", "score_b"} <= named or has_winners
    return fields if {"player_a", "player_b"} <= named and decides else {}


def names_sides_alone(headers: Sequence[str]) -> bool:
    """Whether the columns name the two sides of games, but no column says who won."""
    return {"player_a", "player_b"} <= set(_fields_of_games(headers).values()) and not names_of_games(headers)


def _fields_of_games(headers: Sequence[str]) -> dict[int, str]:
    headers = headers[:MAX_COLUMNS]
    has_players = not {*PLAYER_FIELDS, *NAME_PARTS}.isdisjoint(fields_of(headers))
    has_tasks = has_players and not any(names_winners(header) for header in headers)
    has_dates = any(simple_name(header) in _DATES - _WEAK_DATES for header in headers)
    fields: dict[int, str] = {}
    twice = _scores_of_sides(headers)
    for i, header in enumerate(headers):
        name = simple_name(header)
        is_other = (has_tasks and name in _SIDES_OR_TASKS) or (has_dates and name in _WEAK_DATES)
        field = "" if is_other or is_remarks(header) else twice.get(i) or _GAME_FIELD_OF.get(name, "")
        fields[i] = "" if field in fields.values() else field
    if "player_b" in fields.values() and "player_a" not in fields.values():
        has_losers = any(field == "player_b" and simple_name(headers[i]) in _LOSERS for i, field in fields.items())
        for names in (_WINNERS, _FIRST_SIDES) if has_losers else (_FIRST_SIDES, _WINNERS):
            first = next((i for i, header in enumerate(headers) if simple_name(header) in names), None)
            if first is not None:
                fields[first] = "player_a"
                break
    if "score_b" in fields.values() and "score_a" not in fields.values():
        # "Player, Score, Opponent, Opponent Score"
        fields = {i: "score_a" if field == "result" else field for i, field in fields.items()}
    return fields
