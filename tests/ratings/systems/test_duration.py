"""Weights of contests by their duration, against the documented formula by hand."""

from datetime import UTC, datetime, timedelta

import pytest

from ratings.systems.duration import DurationWeight, duration_weight_from_dict, weighed

END = datetime(2026, 3, 1, 18, tzinfo=UTC)


def factor(rules, hours):
    return rules.factor(END - timedelta(hours=hours), END)


@pytest.mark.parametrize(
    ("hours", "expected"),
    [(2, 1), (8, 2), (0.5, 0.5), (4, 1.4142), (3, 1.2247), (32, 4), (33, 4), (1000, 4), (0.125, 0.25), (0.01, 0.25)],
)
def test_four_times_the_duration_counts_twice_within_the_limits(hours, expected):
    assert factor(DurationWeight(), hours) == expected


def test_the_rules_are_those_of_the_series():
    rules = DurationWeight(hours=5, exponent=1, minimum=0.5, maximum=3)
    assert [factor(rules, hours) for hours in (5, 10, 15, 20, 2.5, 1)] == [1, 2, 3, 3, 0.5, 0.5]
    assert factor(DurationWeight(exponent=0), 50) == 1


def test_unknown_and_empty_durations_change_nothing():
    rules = DurationWeight()
    assert (rules.factor(None, END), rules.factor(END, END)) == (1.0, 1.0)
    assert weighed(rules, 1.5, END - timedelta(hours=8), END) == 3.0
    assert weighed(None, 1.5, END - timedelta(hours=8), END) == 1.5


@pytest.mark.parametrize(
    "wrong", [{"hours": 0}, {"exponent": -1}, {"minimum": 1.5}, {"maximum": 0.5}, {"hours": True}, {"maximum": "4"}]
)
def test_rules_outside_the_bounds_are_refused(wrong):
    ((name, _),) = wrong.items()
    with pytest.raises(ValueError, match=f"{name} must be a number between"):
        duration_weight_from_dict(wrong)


def test_stored_rules_are_read_back():
    rules = DurationWeight(3, 1, 0.1, 9)
    assert duration_weight_from_dict(rules.to_dict()) == rules
    assert duration_weight_from_dict({}) is None
    with pytest.raises(ValueError, match="'minutes' is unknown; the known keys are hours, exponent, minimum, maximum"):
        duration_weight_from_dict({"minutes": 3})
