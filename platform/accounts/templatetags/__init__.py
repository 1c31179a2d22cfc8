"""Template tags of accounts."""
