"""Values in the shared cache."""

from django.core.cache import cache

from contests.caching import cached


def test_a_value_is_made_once():
    made = []
    for _ in range(2):
        assert cached("test-caching:once", lambda: made.append(1) or [3, 4], 60) == [3, 4]
    assert made == [1]


def test_an_empty_value_is_cached_and_the_value_none_is_not():
    cache.delete_many(["test-caching:empty", "test-caching:none"])
    assert cached("test-caching:empty", list, 60) == []
    assert cached("test-caching:empty", lambda: [1], 60) == []
    assert cached("test-caching:none", lambda: None, 60) is None
    assert cached("test-caching:none", lambda: 5, 60) == 5
