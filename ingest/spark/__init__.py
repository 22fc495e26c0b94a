"""Spark in the place of DuckDB (PLUMBLINE_TARGET=spark). Nothing here is imported unless it is asked for."""
