"""Accuracy of a system's predictions: metrics, tuning, backtests."""
