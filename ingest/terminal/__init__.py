"""What commands draw on a terminal: bars of progress, gaps between groups, verdicts as a table."""
