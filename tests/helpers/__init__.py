"""What tests of several folders use: the oracle, graphs, warehouses and what must hold of them."""
