"""The operators of Neo4j's plans that only read data; queries with any other operator are refused.

These are the operators of Neo4j 5.26 that neither write nor read anything except the data.
Operators for LOAD CSV, for settings and for other users' transactions are not among them. Operators
of a later release are refused until they are added to this list. In a plan, the brackets after
an operator describe how the operator reads, not what it reads.
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
"""The allowed operators; ``guard.py`` lists the procedures that a ProcedureCall may name."""


def name_of(operator_type: str) -> str:
    """Return the bare name of an operator, such as Expand for ``Expand(All)@neo4j``."""
    return operator_type.partition("@")[0].partition("(")[0]
