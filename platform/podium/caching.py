"""
The shared cache in Redis, without errors while the server is unreachable.

Most cached values can be computed again, so an unreachable server is only a cache miss. Counters can't: `incr` returns
None then, and requests are allowed without being counted.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any, ClassVar

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

#: Seconds for which this process stops asking after a failure: a hanging Redis costs one time-out, not one per access.
PAUSE_SECONDS = 5.0


class TolerantClient(RedisCacheClient):
    """Django's client, but if Redis cannot be reached, reading finds nothing, and writing does nothing."""

    unreachable_until: ClassVar[float] = 0.0

    def get(self, key: Any, default: Any) -> Any:
        return self._tried(lambda: super(TolerantClient, self).get(key, default), default)

    def get_many(self, keys: Any) -> Any:
        return self._tried(lambda: super(TolerantClient, self).get_many(keys), {})

    def has_key(self, key: Any) -> Any:
        return self._tried(lambda: super(TolerantClient, self).has_key(key), False)

    def add(self, key: Any, value: Any, timeout: Any) -> Any:
        return self._tried(lambda: super(TolerantClient, self).add(key, value, timeout), True)

    def set(self, key: Any, value: Any, timeout: Any) -> Any:
        return self._tried(lambda: super(TolerantClient, self).set(key, value, timeout), None)

    def set_many(self, data: Any, timeout: Any) -> Any:
        return self._tried(lambda: super(TolerantClient, self).set_many(data, timeout), None)

    def incr(self, key: Any, delta: Any) -> Any:
        return self._tried(lambda: super(TolerantClient, self).incr(key, delta), None)

    def delete(self, key: Any) -> Any:
        return self._tried(lambda: super(TolerantClient, self).delete(key), False)

    def delete_many(self, keys: Any) -> Any:
        return self._tried(lambda: super(TolerantClient, self).delete_many(keys), None)

    def _tried(self, act: Callable[[], Any], otherwise: Any) -> Any:
        if time.monotonic() < TolerantClient.unreachable_until:
            return otherwise
        try:
            return act()
        except RedisError as error:
            TolerantClient.unreachable_until = time.monotonic() + PAUSE_SECONDS
            logger.warning("the cache cannot be reached (%s); continuing without it", error)
            return otherwise


class TolerantRedisCache(RedisCache):
    """Django's Redis cache with the client above."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = TolerantClient
