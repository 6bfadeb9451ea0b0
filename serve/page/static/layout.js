// Places of boxes and lines, by dagre: boxes in layers, from sources on the left to results.

import { layout } from "./layout/dagre/index.js";
import { Graph } from "./layout/graphlib/index.js";

const MARGIN = { x: 16, y: 20 };
const [BETWEEN, BESIDE] = [26, 16]; // layers, and boxes in a layer
const ROOM = { width: 12, height: 4 }; // around a label

/**
 * Return the places of boxes and lines.
 *
 * `boxes` have an id, a width and a height; `lines` have from, to, and the width and height of
 * their label. Layers are beside one another, or with `down` below one another.
 */
export function place(boxes, lines, down) {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: down ? "TB" : "LR", nodesep: BESIDE, edgesep: 14, ranksep: BETWEEN, marginx: MARGIN.x, marginy: MARGIN.y });
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { from, to, width, height } of lines) {
    graph.setEdge(from, to, { width: width + ROOM.width, height: height + ROOM.height, labelpos: "c" }, `${from} ${to}`);
  }
  layout(graph);
  const at = new Map(boxes.map(({ id }) => [id, graph.node(id)]));
  const ways = lines.map(({ from, to }) => graph.edge(from, to, `${from} ${to}`));
  const { width, height } = graph.graph();
  return { at, ways, width: Math.max(width, 0), height: Math.max(height, 0) };
}

/** Return a size that no layout of boxes and lines is smaller than, except perhaps if lines go round a cycle. */
export function leastSize(boxes, lines, down) {
  const others = lines.filter(({ from, to }) => from !== to);
  const chain = (side) => longestChain(boxes, others, side);
  const layer = (side) => widestLayer(boxes, others, side);
  const [width, height] = down ? [layer("width"), chain("height")] : [chain("width"), layer("height")];
  return { width: width + 2 * MARGIN.x, height: height + 2 * MARGIN.y };
}

/** Return the length of the longest chain of boxes and labels. */
function longestChain(boxes, lines, side) {
  const lengths = new Map(boxes.map((box) => [box.id, box[side]]));
  const found = new Map();
  const chain = (id) => {
    if (!found.has(id)) {
      found.set(id, 0); // a cycle ends here
      const next = lines.filter(({ from }) => from === id);
      found.set(id, lengths.get(id) + Math.max(0, ...next.map((line) => BETWEEN + ROOM[side] + line[side] + chain(line.to))));
    }
    return found.get(id);
  };
  return Math.max(...boxes.map(({ id }) => chain(id)));
}

/** Return the length of boxes with lines from and to the same boxes: they are in one layer. */
function widestLayer(boxes, lines, side) {
  const ends = new Map(boxes.map(({ id }) => [id, []]));
  for (const { from, to } of lines) {
    ends.get(from).push(`>${to}`);
    ends.get(to).push(`<${from}`);
  }
  const layers = new Map();
  for (const box of boxes) {
    const near = ends.get(box.id).sort().join(" ");
    layers.set(near, (layers.get(near) ?? -BESIDE) + box[side] + BESIDE);
  }
  layers.delete("");
  return Math.max(0, ...layers.values());
}

/** Lay out a small picture. It compiles dagre, so that the first picture does not wait for this. */
export function warm() {
  const ids = [..."abcdefgh"];
  const size = { width: 9, height: 9 };
  const lines = ids.flatMap((from, at) => ids.slice(at + 1).filter((_, far) => far !== 1).map((to) => ({ from, to, ...size })));
  for (const down of [false, true]) place(ids.map((id) => ({ id, ...size })), lines, down);
}
