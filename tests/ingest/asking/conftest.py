"""The model server on loopback that tests of asking share."""

import pytest
from servers import loopback


@pytest.fixture(scope="module")
def running():
    with loopback("--slots", "4") as server:
        yield server


@pytest.fixture
def server(running):
    running.reset()
    return running
