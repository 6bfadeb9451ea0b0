"""The three query methods RQ, CCProv and CSProv. All of them give the same answers."""
