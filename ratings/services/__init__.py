"""All writes to ratings: schemes, and runs from stale marks to publication."""
