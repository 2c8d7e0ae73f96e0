"""This library beside its peers, on one server and with the same vectors: `python tests/benchmarks/peers/run.py`."""
