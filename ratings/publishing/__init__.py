"""From stale marks to a published run; schemes, previews and roll-backs."""
