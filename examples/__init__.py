"""Examples of how the engine is used, for readers and tests; none of it is installed."""
