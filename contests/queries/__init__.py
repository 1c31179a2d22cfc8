"""The read side of contests: visibility, winners, amendments and paging."""
