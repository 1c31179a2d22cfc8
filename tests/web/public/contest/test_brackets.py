"""Knock-out events: how they are recognized, how their rounds are ordered, and the first places."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

from contests.models import Contest, Player
from contests.queries.brackets import MOST_GAMES, bracket_of
from contests.uploads.importing import import_file
from tests.factories import make_series, rate
from tests.pages import Page

CUP = [
    ("2025-05-01", "Ann", "Hal", "3-0", "Quarterfinal"), ("2025-05-01", "Bo", "Gus", "1-3", "Quarterfinal"),
    ("2025-05-01", "Cy", "Fay", "3-2", "Quarterfinal"), ("2025-05-01", "Di", "Eve", "3-1", "Quarterfinal"),
    ("2025-05-02", "Di", "Gus", "0-3", "Semifinal"), ("2025-05-02", "Ann", "Cy", "3-1", "Semifinal"),
    ("2025-05-03", "Cy", "Di", "3-2", "Third place"), ("2025-05-03", "Gus", "Ann", "1-3", "Final"),
]  # fmt: skip


def event_of(tmp_path, rows) -> Contest:
    series = make_series("darts")
    lines = ["date,white,black,result,round", *(",".join(row) for row in rows)]
    (tmp_path / "cup.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_file(series.pk, path=tmp_path / "cup.csv")
    rate(series)
    return Contest.objects.get(is_event=True)


@pytest.mark.django_db
def test_the_page_of_a_knock_out_has_its_bracket_and_a_podium(client, tmp_path):
    event = event_of(tmp_path, CUP)
    Player.objects.filter(handle="Ann").update(country="NO")
    answer = client.get(event.get_absolute_url())
    markup = answer.content.decode().split('id="bracket"')[1].split("</section>")[0]
    assert markup.count("/no.svg") == 3, "one in each of Ann's matches"
    bracket = answer.context["bracket"]
    shown = [[[side.player.handle for side in match.sides] for match in each.matches] for each in bracket.rounds]
    assert [each.name for each in bracket.rounds] == ["Quarterfinal", "Semifinal", "Final"]
    # Each match is above those whose winners meet next: Gus and Di play the first semifinal.
    assert shown == [
        [["Di", "Eve"], ["Bo", "Gus"], ["Ann", "Hal"], ["Cy", "Fay"]], [["Di", "Gus"], ["Ann", "Cy"]], [["Gus", "Ann"]],
    ]  # fmt: skip
    assert [(side.score, side.is_winner) for side in bracket.rounds[-1].matches[0].sides] == [("1", False), ("3", True)]
    podium = [(rank, [row.player.handle for row in rows]) for rank, rows in answer.context["podium"]]
    assert podium == [(1, ["Ann"]), (2, ["Gus"]), (3, ["Cy"])]
    assert "Third place" in Page(answer).text


@pytest.mark.django_db
def test_other_events_have_a_podium_by_points_and_no_bracket(client, tmp_path):
    rounds = [
        ("2025-05-01", "Ann", "Bo", "1-0", "1"), ("2025-05-01", "Cy", "Di", "½-½", "1"),
        ("2025-05-02", "Ann", "Cy", "1-0", "2"), ("2025-05-02", "Bo", "Di", "1-0", "2"),
        ("2025-05-03", "Ann", "Di", "½-½", "3"), ("2025-05-03", "Bo", "Cy", "1-0", "3"),
    ]  # fmt: skip
    event = event_of(tmp_path, rounds)
    Player.objects.filter(handle="Ann").update(country="NO")
    answer = client.get(event.get_absolute_url())
    assert answer.context["bracket"] is None
    crosstable = answer.content.decode().split('id="crosstable"')[1].split("</table>")[0]
    assert crosstable.count("/no.svg") == 1
    podium = [(rank, [row.player.handle for row in rows]) for rank, rows in answer.context["podium"]]
    assert podium == [(1, ["Ann"]), (2, ["Bo"]), (3, ["Di"])]


def game(one, other, points, round_=""):
    sides = [
        SimpleNamespace(players=[player], standings=[SimpleNamespace(score=None)], points=got)
        for player, got in zip((one, other), points, strict=True)
    ]
    return SimpleNamespace(contest=SimpleNamespace(round=round_, is_walkover=False), sides=sides, is_bye=False)


def knock_out(rng, players, *, has_rounds):
    """Draw and play a knock-out of any number of players, with several games in some matches."""
    games, left, number = [], list(players), 0
    while len(left) > 1:
        number += 1
        rng.shuffle(left)
        free = 2 ** (len(left) - 1).bit_length() - len(left) if number == 1 else 0
        winners, playing = left[:free], left[free:]
        for one, other in zip(playing[::2], playing[1::2], strict=True):
            better = rng.choice((one, other))
            points = (1.0, 0.0) if better is one else (0.0, 1.0)
            games += [game(one, other, points, f"{number}" if has_rounds else "") for _ in range(rng.choice((1, 1, 3)))]
            winners.append(better)
        left = winners
    return games, left[0]


@pytest.mark.parametrize("seed", range(60))
def test_every_knock_out_is_recognized_whatever_the_order_of_its_players(seed):
    rng = random.Random(seed)
    players = [SimpleNamespace(pk=pk) for pk in range(rng.randint(4, 40))]
    has_rounds = rng.random() < 0.5 or len(players) < 8
    games, champion = knock_out(rng, players, has_rounds=has_rounds)
    bracket = bracket_of(games)
    assert bracket is not None
    assert bracket.podium()[0] == (1, [champion])
    matches = [match for each in bracket.rounds for match in each.matches if match is not None]
    assert len(matches) == len(players) - 1
    assert sum(len(match.games) for match in matches) == len(games)
    for before, after in zip(bracket.rounds, bracket.rounds[1:], strict=False):
        for number, match in enumerate(after.matches):
            fed = [each for each in before.matches[2 * number : 2 * number + 2] if each is not None]
            assert match is not None or not fed
            assert all(each.winner in match.players for each in fed)


@pytest.mark.parametrize("seed", range(20))
def test_events_that_are_not_a_knock_out_have_no_bracket(seed):
    rng = random.Random(seed)
    players = [SimpleNamespace(pk=pk) for pk in range(rng.randint(8, 20))]
    games, champion = knock_out(rng, players, has_rounds=True)
    loser = next(player for player in players if player is not champion)
    assert bracket_of([*games, game(loser, champion, (1.0, 0.0), "again")]) is None, "the champion lost as well"
    assert bracket_of([*games, game(champion, loser, (0.5, 0.5), "tie")]) is None
    chain = [game(players[i], players[i + 1], (0.0, 1.0), "1") for i in range(len(players) - 1)]
    assert bracket_of(chain) is None, "a chain of challengers is no bracket"
    assert bracket_of([]) is None


@pytest.mark.parametrize("is_same_winner", [True, False])
def test_a_long_evening_of_winner_stays_on_has_no_bracket(is_same_winner):
    players = [SimpleNamespace(pk=pk) for pk in range(MOST_GAMES)]
    winners = [players[0]] * len(players) if is_same_winner else players[1:]
    losers = players[1:] if is_same_winner else players[:-1]
    games = [game(winner, loser, (1.0, 0.0)) for winner, loser in zip(winners, losers, strict=False)]
    assert bracket_of(games) is None, "found without drawing a tree of 2^99 matches"
