"""The searches for many roots at once and for one, on functions with known roots."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems.numerics.roots import Equations, Floats, Indices, find_root, find_roots
from tests.ratings.systems.strategies import steady

finite = st.floats(-50.0, 50.0)


def steep_tanh(centre: Floats, steepness: float) -> Equations:
    def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
        value = np.tanh(steepness * (points - centre))
        slope = steepness * (1.0 - value * value)
        return value, slope, -2.0 * steepness * value * slope

    return equations


@steady(100)
@given(roots=st.lists(finite, min_size=1, max_size=20), start=finite, steepness=st.sampled_from([0.01, 1.0, 40.0]))
def test_roots_are_found_from_any_start_even_where_the_slope_vanishes(
    roots: list[float], start: float, steepness: float
) -> None:
    centre = np.array(roots)
    ends = np.full(len(roots), -60.0), np.full(len(roots), 60.0)
    found = find_roots(steep_tanh(centre, steepness), *ends, np.full(len(roots), start), tolerance=1e-9)
    np.testing.assert_allclose(found, centre, rtol=0, atol=1e-8)


@steady(50)
@given(roots=st.lists(finite, min_size=2, max_size=20))
def test_a_root_has_the_same_bits_alone_and_with_others(roots: list[float]) -> None:
    centre = np.array(roots)

    def solve(part: Floats) -> Floats:
        start = np.full(len(part), 3.0)
        return find_roots(steep_tanh(part, 0.7), start - 70.0, start + 70.0, start, tolerance=1e-9)

    alone = np.concatenate([solve(centre[i : i + 1]) for i in range(len(centre))])
    assert alone.tobytes() == solve(centre).tobytes()


def test_the_root_of_the_cube_root_is_found_where_newtons_method_alone_would_diverge() -> None:
    # x^(1/3) sends Newton's method from x to -2x; a wrong second derivative makes Halley's correction useless.
    def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
        with np.errstate(divide="ignore"):
            return np.cbrt(points), np.cbrt(points) ** -2.0 / 3.0, np.zeros_like(points)

    found = find_roots(equations, np.array([-7.0]), np.array([9.0]), np.array([1.0]), tolerance=1e-12)
    assert abs(found[0]) < 1e-11


def test_a_step_is_that_of_halleys_method() -> None:
    # For the root of 2, Halley's formula goes from x to x (x² + 6) / (3 x² + 2): from 1 to 7/5 (Newton's to 3/2).
    def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
        return points**2 - 2.0, 2.0 * points, np.full_like(points, 2.0)

    found = find_roots(equations, np.array([0.5]), np.array([3.0]), np.array([1.0]), tolerance=1.0)
    assert found[0] == pytest.approx(7 / 5, rel=1e-15)


def first_step(value: float, curvature: float) -> float:
    """Return where one step leads from 0 in the bracket from -1 to 3, at a slope of 1."""

    def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
        return np.full_like(points, value), np.ones_like(points), np.full_like(points, curvature)

    return float(find_roots(equations, np.array([-1.0]), np.array([3.0]), np.array([0.0]), tolerance=10.0)[0])


@pytest.mark.parametrize(
    ("value", "curvature", "expected"),
    [(-1.0, 6.0, 0.5), (-0.5, -4.0, 1.0), (1.0, -6.0, -0.5)],
    ids=["half of Newton's step", "twice Newton's step", "half of it downwards"],
)
def test_curvature_at_most_halves_or_doubles_newtons_step(value: float, curvature: float, expected: float) -> None:
    assert first_step(value, curvature) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(-2.0, 2.0), (-2.5, 1.5)], ids=["half of the bracket", "more than half of the bracket"]
)
def test_a_step_longer_than_half_of_the_last_one_becomes_a_bisection(value: float, expected: float) -> None:
    # The step before the first one counts as the width of the bracket, 4. The bisection is between 0 and 3.
    assert first_step(value, 0.0) == expected


def test_a_slope_too_small_to_divide_by_gives_no_warning() -> None:
    # At 720 the slope is about 1e-313: one divided by it is more than any double.
    def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
        return -np.expm1(-points), np.exp(-points), -np.exp(-points)

    found = find_roots(equations, np.array([-5.0]), np.array([730.0]), np.array([720.0]), tolerance=1e-9)
    assert found[0] == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("start", [(1.0, 7.0), (3.5, 6.5)], ids=["far from it", "near it"])
def test_a_root_outside_the_bracket_is_moved_to_its_end(start: tuple[float, float]) -> None:
    def line(points: Floats) -> tuple[Floats, Floats, Floats]:
        return points - 5.0, np.ones_like(points), np.zeros_like(points)

    found = find_roots(line, np.array([0.0, 6.0]), np.array([4.0, 8.0]), np.array(start), tolerance=1e-9)
    np.testing.assert_allclose(found, [4.0, 6.0], rtol=0, atol=1e-8)


def test_narrowing_down_to_the_slow_rows_changes_no_bits() -> None:
    # Most start at their root and are done at once; the others have a long way to go.
    centre = np.concatenate([np.zeros(400), np.linspace(20.0, 60.0, 30)])
    asked = []

    def narrow(rows: Indices) -> Equations:
        asked.append(len(rows))
        return steep_tanh(centre[rows], 0.3)

    ends = np.full(430, -70.0), np.full(430, 70.0)
    plain = find_roots(steep_tanh(centre, 0.3), *ends, np.zeros(430), tolerance=1e-9)
    narrowed = find_roots(steep_tanh(centre, 0.3), *ends, np.zeros(430), tolerance=1e-9, narrow=narrow)
    assert asked == [30]
    assert plain.tobytes() == narrowed.tobytes()


def test_brackets_are_not_written_to() -> None:
    ends = np.array([-1.0]), np.array([3.0])
    find_roots(steep_tanh(np.array([0.5]), 1.0), *ends, np.array([2.0]), tolerance=1e-9)
    assert (ends[0][0], ends[1][0]) == (-1.0, 3.0)


@steady(100)
@given(
    root=finite,
    start=finite,
    steepness=st.sampled_from([0.01, 1.0, 40.0]),
    tolerance=st.sampled_from([1e-9, 1e-3, 1.0]),
)
def test_one_root_is_found_from_any_start_by_the_same_steps_as_many(
    root: float, start: float, steepness: float, tolerance: float
) -> None:
    def curve(points: Floats) -> tuple[Floats, Floats, Floats]:
        # Only basic operations, which have the same bits for numbers and for arrays.
        distance = steepness * (points - root)
        square = 1.0 + distance * distance
        return distance / square, steepness * (1.0 - distance * distance) / (square * square), 0.0 * points

    found = find_root(curve, -60.0, 60.0, start, tolerance=tolerance)  # type: ignore[arg-type]
    many = find_roots(curve, np.array([-60.0]), np.array([60.0]), np.array([start]), tolerance=tolerance)
    assert found == many[0]
    if tolerance == 1e-9:
        assert found == pytest.approx(root, abs=1e-8)


def test_one_root_outside_the_bracket_is_moved_to_its_end() -> None:
    def line(point: float) -> tuple[float, float, float]:
        return point - 5.0, 1.0, 0.0

    assert find_root(line, 0.0, 4.0, 1.0, tolerance=1e-9) == pytest.approx(4.0, abs=1e-8)
    assert find_root(line, 6.0, 8.0, 6.5, tolerance=1e-9) == pytest.approx(6.0, abs=1e-8)


def test_one_root_that_cannot_be_found_is_an_error() -> None:
    with pytest.raises(ArithmeticError, match="root not found in 200 steps"):
        find_root(lambda point: (math.nan, math.nan, math.nan), -1.0, math.inf, 0.0, tolerance=1e-9)


def test_a_search_without_convergence_is_an_error() -> None:
    with pytest.raises(ArithmeticError, match="1 of 2 roots not found in 3 steps"):
        find_roots(
            steep_tanh(np.array([math.pi, 0.0]), 1.0),
            np.full(2, -1e6),
            np.full(2, 1e6),
            np.array([1e5, 0.0]),
            tolerance=1e-9,
            max_iterations=3,
        )
