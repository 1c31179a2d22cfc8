"""The number of good contests that it takes to reach a goal."""

from web.shared.good_contests import good_contests_to


def test_a_good_contest_brings_the_mean_of_the_gains():
    differences = [999, *[0] * 16, 10, -50, 20, 30]
    assert good_contests_to(50, differences) == (3, 20), "the first contest is too long ago"
    assert good_contests_to(60, differences) == (3, 20)
    assert good_contests_to(61, differences) == (4, 20)
    assert good_contests_to(601, differences) is None, "too far for an estimate"
    assert good_contests_to(None, differences) is None
    assert good_contests_to(5, differences[1:5]) is None, "no gains, no estimate"
