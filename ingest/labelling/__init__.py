"""Answers that people read: drawn, shown in a sheet without their groups, and what was read brought in."""
