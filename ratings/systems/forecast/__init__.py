"""Forecasts of a coming contest."""
