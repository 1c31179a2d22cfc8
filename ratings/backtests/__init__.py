"""Backtests and tuning on files of contests, without a database."""
