// Pictures of answers at the level of tables, for views that compare or suppose.

import { make } from "./elements.js";
import { drawPicture } from "./picture.js";

const MOST = 60;

/**
 * Draw nodes and edges of a zoom at the end of a view, unless they are too many.
 *
 * `words` maps names of counts to what a box says about them; the first count that a node has
 * gives its colour. `open` returns the changes of the state that pressing a box makes.
 */
export function drawTables(view, { nodes, edges }, words, label, open) {
  if (!edges.length || nodes.length > MOST) return;
  const frame = make("div", { class: "picture", tabindex: 0 });
  view.append(frame);
  const boxes = nodes.map((node) => {
    const found = Object.keys(words).filter((name) => node[name]);
    const note = found.map((name) => `${node[name]} ${words[name]}`).join(", ");
    return { items: 0, ...node, id: String(node.node), depth: 0, note: note || undefined, fate: found[0] };
  });
  const links = edges.filter(({ from, to }) => from !== to).map((edge) => ({
    ...edge, from: String(edge.from), to: String(edge.to), triples: edge.triples ?? edge.came + edge.went,
  }));
  drawPicture(frame, boxes, links, { select: open, open }, label);
}
