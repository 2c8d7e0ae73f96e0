"""What an adapter, or a transport, must do, as tests to run on one of your own; needs pytest.

::

    class TestMyAdapter(AdapterSuite):
        @pytest.fixture
        async def driver(self, store):
            return MyDriver(store)

    class TestMyTransport(TransportSuite):
        @pytest.fixture
        async def transport(self):
            made = MyTransport(...)
            await made.open()
            yield made
            await made.close()
"""

from memoranda.testing.adapters import AdapterSuite
from memoranda.testing.driving import Driver, Said, Seen, ToolUse
from memoranda.testing.transports import TransportSuite

__all__ = ["AdapterSuite", "Driver", "Said", "Seen", "ToolUse", "TransportSuite"]
