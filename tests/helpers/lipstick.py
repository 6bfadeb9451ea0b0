"""The provenance graph of the Lipstick paper, with the paper's zoom: an oracle for folds.

The kinds of nodes are those of the paper: ``w`` (workflow input), ``m`` (module invocation), ``i``
(module input), ``o`` (module output), ``s`` (state), ``t`` (basic tuple), ``x`` (anything computed)
and ``v`` (a constant value).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

Edge = tuple[str, str]


class Node(NamedTuple):
    """The kind of a node, and the module and the invocation to which the node belongs."""

    kind: str
    module: str = ""
    invocation: str = ""


class Use(NamedTuple):
    """A triple as provhouse stores it, which edges of the paper's graph represent."""

    src: str
    dst: str
    module: str
    invocation: str
    role: str


@dataclass
class Graph:
    """A provenance graph."""

    nodes: dict[str, Node] = field(default_factory=dict)
    edges: set[Edge] = field(default_factory=set)

    def add(self, name: str, node: Node, *sources: str) -> str:
        """Add a node with edges from its sources."""
        self.nodes[name] = node
        self.edges |= {(source, name) for source in sources}
        return name

    def after(self, name: str) -> list[str]:
        return [end for start, end in self.edges if start == name]

    def before(self, name: str) -> list[str]:
        return [start for start, end in self.edges if end == name]

    def kinds(self, kinds: str, modules: Iterable[str] | None = None) -> list[str]:
        """Return the nodes of the given kinds, and only those of ``modules`` if given."""
        return [
            name
            for name, node in self.nodes.items()
            if node.kind in kinds and (modules is None or node.module in modules)
        ]

    def without(self, names: set[str]) -> "Graph":
        edges = {edge for edge in self.edges if not names & {*edge}}
        return Graph({n: node for n, node in self.nodes.items() if n not in names}, edges)

    def intermediate(self, modules: Iterable[str]) -> set[str]:
        """Return the nodes inside the invocations of modules: definition 4.1, by paths.

        The definition does not cover the constants of tensors. Here, a constant belongs to the
        nodes made from it.
        """
        found, left = set[str](), self.kinds("is", modules)
        while left:
            for name in self.after(left.pop()):
                if self.nodes[name].kind == "x" and name not in found:
                    found.add(name)
                    left.append(name)
        inner = found | {*self.kinds("s", modules)}
        return found | {v for v in self.kinds("v") if self.after(v) and {*self.after(v)} <= inner}

    def zoom_out(self, modules: Iterable[str]) -> "Graph":
        """Return the graph with one node for each invocation of the modules: section 4.1."""
        inner, states = self.intermediate(modules), {*self.kinds("s", modules)}
        basic = {t for t in self.kinds("t") if self.after(t) and {*self.after(t)} <= states}
        zoomed = self.without(inner | states | basic)
        for name in self.kinds("m", modules):
            node = self.nodes[name]
            ins = [one for one in self.after(name) if self.nodes[one].kind == "i"]
            zoomed.add(node.invocation, Node("z", node.module, node.invocation), *ins)
            outs = [one for one in self.after(name) if self.nodes[one].kind == "o"]
            zoomed.edges |= {(node.invocation, one) for one in outs}
        return zoomed

    def delete(self, name: str, joint: set[str]) -> "Graph":
        """Return the graph without a node: definition 4.2.

        ``joint`` are the nodes whose labels mean joint derivation. Nodes that never had incoming
        edges stay, such as those of module invocations.
        """
        graph, gone = self, {name}
        while gone:
            graph = graph.without(gone)
            gone = {
                each
                for each in graph.nodes
                if (had := len(self.before(each))) > (left := len(graph.before(each)))
                and (left == 0 or (each in joint and left < had))
            }
        return graph

    def subgraph(self, name: str) -> set[str]:
        """Return all ancestors and descendants of a node, and the siblings of the descendants."""
        up, down = self._reached(name, self.before), self._reached(name, self.after)
        return {name} | up | down | {one for each in down for one in self.before(each)}

    def _reached(self, name: str, following: Callable[[str], list[str]]) -> set[str]:
        found, left = set[str](), [name]
        while left:
            new = {*following(left.pop())} - found
            found |= new
            left += new
        return found

    def uses(self) -> Iterator[Use]:
        """Yield the triples of the graph.

        Nodes of invocations, inputs and state become columns and roles of triples.
        """
        for start, end in sorted(self.edges):
            node = self.nodes[end]
            if self.nodes[start].kind == "m" or node.kind in "is":
                continue
            kind = self.nodes[start].kind
            of = self.before(start) if kind in "is" else [start]
            role = "state" if kind == "s" else "output" if node.kind == "o" else "input"
            for one in of:
                if self.nodes[one].kind != "m":
                    yield Use(one, end, node.module, node.invocation, role)

    def links(self, used: Iterable[str]) -> set[Edge]:
        """Return the edges between items and folded invocations.

        Among the inputs of folded invocations, only the ones in ``used`` have edges.
        """
        found, used = set[Edge](), {*used}
        for start, end in self.edges:
            kinds = self.nodes[start].kind, self.nodes[end].kind
            if kinds[0] == "m" or kinds[1] in "is":
                continue
            if kinds[0] not in "is":
                found.add((start, end))
            elif kinds[1] != "z" or start in used:
                found |= {(one, end) for one in self.before(start) if self.nodes[one].kind != "m"}
        return found


def figure_2c() -> Graph:
    """Return figure 2(c): the bids of dealers 1 and 2 for a request.

    Nodes that the paper's text names have the same names here. Dealer 2 is like dealer 1, but has
    one car.
    """
    graph = Graph()
    graph.add("N00", Node("w"))

    def module(name: str, *sources: str) -> tuple[str, list[str]]:
        m = graph.add(f"M{name}", Node("m", name, f"{name} 1"))
        inside = Node("i", name, f"{name} 1")
        return m, [graph.add(f"{name} in {s}", inside, s, m) for s in sources]

    m, (request,) = module("and", "N00")
    inner, out = Node("x", "and", "and 1"), Node("o", "and", "and 1")
    graph.add("and out", out, graph.add("and +", inner, request), m)
    for dealer, cars in (("dealer1", ["C2", "C3"]), ("dealer2", ["C5"])):
        m, (request,) = module(dealer, "and out")
        call = f"{dealer} 1"
        x, v = Node("x", dealer, call), Node("v", dealer, call)
        model = graph.add(f"{dealer} N50", x, request)
        joined, tensors = [], []
        for car in cars:
            graph.add(car, Node("t"))
            state = graph.add(f"{dealer} state {car}", Node("s", dealer, call), car, m)
            joined.append(graph.add(f"{dealer} N60 {car}", x, model, state))
            one = graph.add(f"{dealer} 1 {car}", v)
            tensors.append(graph.add(f"{dealer} tensor {car}", x, joined[-1], one))
        count = graph.add(f"{dealer} N70", x, *tensors)
        inventory = graph.add(f"{dealer} N72", x, graph.add(f"{dealer} N71", x, *joined))
        group = graph.add(f"{dealer} N75", x, graph.add(f"{dealer} N73", x, request), inventory)
        bid = graph.add(f"{dealer} N80", x, group, count)
        plus = graph.add(f"{dealer} N81", x, group)
        graph.add(f"{dealer} N90", Node("o", dealer, call), plus, bid, m)
    m, bids = module("agg", "dealer1 N90", "dealer2 N90")
    x = Node("x", "agg", "agg 1")
    tensors = [
        graph.add(f"agg tensor {n}", x, bid, graph.add(f"agg price {n}", Node("v", "agg", "agg 1")))
        for n, bid in enumerate(bids)
    ]
    graph.add("N101", Node("o", "agg", "agg 1"), graph.add("agg group", x, *bids),
              graph.add("agg MIN", x, *tensors), m)  # fmt: skip
    return graph


def random_flow(seed: int) -> tuple[Graph, list[str]]:
    """Return a flow of modules, each invoked several times, that keep state between invocations."""
    random, graph = Random(seed), Graph()
    modules = [f"M{n}" for n in range(random.randint(2, 5))]
    names = (f"n{n}" for n in range(10**9))
    state = {
        one: [graph.add(next(names), Node("t")) for _ in range(random.randint(0, 3))]
        for one in modules
    }
    outputs = list[str]()
    for execution in range(random.randint(1, 3)):
        outputs.append(graph.add(next(names), Node("w")))
        for name in modules * random.choice((1, 1, 2)):
            call = f"{name} {execution} {next(names)}"
            m = graph.add(next(names), Node("m", name, call))
            sources = random.sample(outputs, min(len(outputs), random.randint(1, 3)))
            inside = [graph.add(next(names), Node("i", name, call), s, m) for s in sources]
            for one in state[name]:
                if random.random() < 0.7:
                    inside.append(graph.add(next(names), Node("s", name, call), one, m))
            made = list[str]()
            for _ in range(random.randint(1, 6)):
                some = random.sample(inside, min(len(inside), random.randint(1, 3)))
                if random.random() < 0.3:
                    some.append(graph.add(next(names), Node("v", name, call)))
                made.append(graph.add(next(names), Node("x", name, call), *some))
                inside.append(made[-1])
            for _ in range(random.randint(1, 2)):
                out = graph.add(next(names), Node("o", name, call), random.choice(made), m)
                outputs.append(out)
            if random.random() < 0.5:
                state[name].append(random.choice(made))  # the next invocations read it as state
    return graph, modules
