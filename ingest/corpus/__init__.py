"""Where texts come from, and the sentences of them that name a keyword."""
