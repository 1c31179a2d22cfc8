"""The read side of contests: who may see what, winners, amendments."""
