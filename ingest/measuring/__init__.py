"""Measuring texts: which text is read, in which language it is, and how like another one it is."""
