"""Attacks by people who must not get in: what outsiders can read, guess or measure of a private community."""
