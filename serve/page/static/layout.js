// Places of boxes and lines, by dagre: boxes in layers, from sources on the left to results.

import { layout } from "./layout/dagre/index.js";
import { Graph } from "./layout/graphlib/index.js";

/**
 * Return the places of boxes and lines.
 *
 * `boxes` have an id, a width and a height; `lines` have from, to, and the width and height of
 * their label. Layers are beside one another, or with `down` below one another.
 */
export function place(boxes, lines, down) {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: down ? "TB" : "LR", nodesep: 16, edgesep: 14, ranksep: 26, marginx: 16, marginy: 20 });
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { from, to, width, height } of lines) {
    graph.setEdge(from, to, { width: width + 12, height: height + 4, labelpos: "c" }, `${from} ${to}`);
  }
  layout(graph);
  const at = new Map(boxes.map(({ id }) => [id, graph.node(id)]));
  const ways = lines.map(({ from, to }) => graph.edge(from, to, `${from} ${to}`));
  const { width, height } = graph.graph();
  return { at, ways, width: Math.max(width, 0), height: Math.max(height, 0) };
}

/** Lay out a small picture. It compiles dagre, so that the first picture does not wait for this. */
export function warm() {
  const ids = [..."abcdefgh"];
  const size = { width: 9, height: 9 };
  const lines = ids.flatMap((from, at) => ids.slice(at + 1).filter((_, far) => far !== 1).map((to) => ({ from, to, ...size })));
  for (const down of [false, true]) place(ids.map((id) => ({ id, ...size })), lines, down);
}
