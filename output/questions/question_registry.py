"""All questions, in the order of the modules that declare them."""

from typing import Final

from . import derivation_questions as derivations
from . import items, levels, lists
from . import workflow_questions as workflows
from .asking import declared

QUESTIONS: Final = declared(items, derivations, levels, lists, workflows)
