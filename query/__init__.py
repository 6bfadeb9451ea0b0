"""The three query methods RQ, CCProv and CSProv."""
