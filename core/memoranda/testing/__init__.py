"""What an adapter must do, as tests to run on one of your own; needs pytest.

::

    class TestMyAdapter(AdapterSuite):
        @pytest.fixture
        async def driver(self, store):
            return MyDriver(store)
"""

from memoranda.testing.adapters import AdapterSuite
from memoranda.testing.driving import Driver, Said, Seen, ToolUse

__all__ = ["AdapterSuite", "Driver", "Said", "Seen", "ToolUse"]
