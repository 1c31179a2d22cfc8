"""Accuracy of a system's predictions: metrics, calibration, backtests and tuning."""
