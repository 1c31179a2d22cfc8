"""Hypothesis strategies for contests of teams."""

from hypothesis import strategies as st

from ratings.systems import Contest


@st.composite
def team_contests(draw: st.DrawFn, n_players: int) -> Contest:
    """One contest of at least two teams, ties likely; uneven ones and single players among them."""
    order = draw(st.permutations(range(n_players)))
    sizes = draw(st.lists(st.integers(1, 3), min_size=2, max_size=n_players // 3))
    places = draw(st.lists(st.integers(1, len(sizes)), min_size=len(sizes), max_size=len(sizes)))
    labels = [label for label, size in enumerate(sizes) for _ in range(size)]
    weight = draw(st.sampled_from([0.25, 1.0, 3.0]))
    return Contest(
        order[: len(labels)], [places[label] for label in labels], weight, teams=[f"team {label}" for label in labels]
    )


@st.composite
def team_series(draw: st.DrawFn, n_players: int = 12) -> list[Contest]:
    """Contests of teams in order of time."""
    day, dated = 0.0, []
    for contest in draw(st.lists(team_contests(n_players), min_size=1, max_size=6)):
        day += draw(st.sampled_from([0.0, 0.25, 1.0, 30.0]))
        dated.append(Contest(contest.players, contest.ranks, contest.weight, day=day, teams=contest.teams))
    return dated
