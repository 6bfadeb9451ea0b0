"""The operators of Neo4j's plans that read what the warehouse holds; no other one is let through.

They are those of Neo4j 5.26 whose plans neither write nor leave the data: no LOAD CSV, no settings,
nobody else's transactions. A later release may have more of them: they are refused until they stand
here. What a plan says in brackets behind an operator tells how it reads, not what.
"""

_NODES = """
AllNodesScan IntersectionNodeByLabelsScan MultiNodeIndexSeek NodeByElementIdSeek NodeByIdSeek
NodeByLabelScan NodeIndexContainsScan NodeIndexEndsWithScan NodeIndexScan NodeIndexSeek
NodeIndexSeekByRange NodeUniqueIndexSeek NodeUniqueIndexSeekByRange SubtractionNodeByLabelsScan
UnionNodeByLabelsScan
"""

_RELATIONSHIPS = """
DirectedAllRelationshipsScan DirectedRelationshipByElementIdSeek DirectedRelationshipByIdSeek
DirectedRelationshipIndexContainsScan DirectedRelationshipIndexEndsWithScan
DirectedRelationshipIndexScan DirectedRelationshipIndexSeek DirectedRelationshipIndexSeekByRange
DirectedRelationshipTypeScan DirectedUnionRelationshipTypesScan UndirectedAllRelationshipsScan
UndirectedRelationshipByElementIdSeek UndirectedRelationshipByIdSeek
UndirectedRelationshipIndexContainsScan UndirectedRelationshipIndexEndsWithScan
UndirectedRelationshipIndexScan UndirectedRelationshipIndexSeek
UndirectedRelationshipIndexSeekByRange UndirectedRelationshipTypeScan
UndirectedUnionRelationshipTypesScan
"""

_WAYS = """
BidirectionalRepeat Expand OptionalExpand PathPropagatingBFS ProjectEndpoints Repeat ShortestPath
StatefulShortestPath TriadicBuild TriadicFilter TriadicSelection VarLengthExpand
"""

_JOINS = """
AntiConditionalApply AntiSemiApply Apply Argument AssertSameNode CartesianProduct ConditionalApply
LetAntiSemiApply LetSelectOrAntiSemiApply LetSelectOrSemiApply LetSemiApply NodeHashJoin
NodeLeftOuterHashJoin NodeRightOuterHashJoin Optional OrderedUnion RollUpApply
SelectOrAntiSemiApply SelectOrSemiApply SemiApply Union ValueHashJoin
"""

_ROWS = """
CacheProperties Distinct Eager EagerAggregation EmptyResult EmptyRow ExhaustiveLimit Filter Limit
NodeCountFromCountStore NonFuseable NonPipelined OrderedAggregation OrderedDistinct PartialSort
PartialTop ProduceResults Projection RelationshipCountFromCountStore Skip Sort Top Top1WithTies
Unwind
"""

_SCHEMA = "ShowConstraints ShowIndexes"

READING = frozenset(
    " ".join((_NODES, _RELATIONSHIPS, _WAYS, _JOINS, _ROWS, _SCHEMA, "ProcedureCall")).split()
)
"""By name; which procedures may be called stands in ``guard.py``."""


def name_of(operator_type: str) -> str:
    """The name in ``Expand(All)@neo4j``: without how it reads, and the database."""
    return operator_type.partition("@")[0].partition("(")[0]
