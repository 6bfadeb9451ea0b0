"""If a package that provhouse does not install is missing, the error names the package."""

import pytest

from provhouse.model.errors import Unavailable
from provhouse.runtime.packages import package


def test_a_missing_package_is_named_with_its_remedy() -> None:
    assert package("json").dumps(1) == "1"
    with pytest.raises(Unavailable, match="Run `pip install no_such_package`"):
        package("no_such_package")
