"""Pages for people, one folder per feature."""
