"""Resampling and statistics: arrays in, numbers out. dbt's models import it; it imports no other room."""
