"""Asking a model: what is left to ask, who sends it, and what became of each request."""
