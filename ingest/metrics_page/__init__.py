"""The metric dictionary as pages, and the check that it leaves nothing out. `ingest.docs` is the command."""
