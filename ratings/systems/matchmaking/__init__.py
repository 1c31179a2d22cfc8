"""Proposals for the next matches: pairings of a round, balanced teams and the best opponents for one player."""
