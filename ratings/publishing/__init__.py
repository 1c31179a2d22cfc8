"""From stale marks to a published run: queue, leases, engine, refresh, schemes, previews and roll-backs."""
