"""Games between two sides: tables of games, chess files (PGN), FIDE tournament reports (TRF16) and Go records (SGF)."""
