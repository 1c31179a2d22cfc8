"""The read side of ratings: snapshots, ranks, boards, histories, comparisons."""
