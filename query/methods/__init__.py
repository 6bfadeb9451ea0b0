"""The three query methods RQ, CCProv and CSProv, which give the same answers."""
