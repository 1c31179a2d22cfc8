"""Forecasts of a future contest."""
