"""The model server on loopback, with a key, that tests of backends share."""

import pytest
from asked import KEY
from servers import loopback


@pytest.fixture(scope="module")
def running():
    with loopback("--slots", "4", "--key", KEY) as server:
        yield server
