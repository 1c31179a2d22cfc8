"""How well a system predicts: metrics, tuning, backtests."""
