"""Pages for visitors, one folder per feature."""
