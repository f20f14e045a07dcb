"""What the tests of the cluster share."""

from tests.cluster.nats_servers import single_server, three_servers

__all__ = ["single_server", "three_servers"]
