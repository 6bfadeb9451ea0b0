// Pictures of answers at the level of tables, for views that compare or suppose.

import { counted, make } from "./elements.js";
import { drawPicture } from "./picture.js";
import { does, go } from "./state.js";

const MOST = 60;
const REST = "rest";

/**
 * Draw nodes and edges of a zoom at the end of a view; nodes beyond MOST share a box, and are listed.
 *
 * `words` maps names of counts to what a box says about them; the first count that a node has
 * gives its colour, and comes first. `open` returns the changes of the state that pressing a box or a listed node makes.
 */
export function drawTables(view, { nodes, edges }, words, label, open) {
  const counts = Object.keys(words);
  if (!edges.length && !nodes.some((node) => counts.some((name) => node[name]))) return;
  const [shown, rest] = divided(nodes, counts);
  const boxes = shown.map((node) => {
    const found = counts.filter((name) => node[name]);
    const note = found.map((name) => `${node[name]} ${words[name]}`).join(", ");
    return { items: 0, ...node, id: String(node.node), depth: 0, note: note || undefined, fate: found[0] };
  });
  const frame = make("div", { class: "picture", tabindex: 0 });
  const list = listed(rest, open);
  if (rest.length) {
    const items = rest.reduce((sum, node) => sum + total(node, counts), 0);
    boxes.push({ id: REST, kind: "rest", name: "", items, depth: 0, note: `${counted(rest.length, "group")} without a box` });
  }
  view.append(frame, ...(rest.length ? [list] : []));
  const known = new Set(boxes.map((box) => box.id));
  const box = (node) => (known.has(String(node)) ? String(node) : REST);
  const links = edges.map((edge) => ({
    ...edge, from: box(edge.from), to: box(edge.to), triples: edge.triples ?? edge.came + edge.went,
  })).filter(({ from, to }) => from !== to);
  const openRest = () => {
    list.open = true;
    list.querySelector("button").focus();
  };
  drawPicture(frame, boxes, links, {
    select: (one) => ({ sel: one.name }), open: (one) => (one.id === REST ? openRest : open(one)),
  }, label);
}

const total = (node, counts) => node.items ?? counts.reduce((sum, name) => sum + (node[name] ?? 0), 0);

/** Return the nodes that get boxes, and the others. */
function divided(nodes, counts) {
  if (nodes.length <= MOST) return [nodes, []];
  const rank = (node) => counts.findIndex((name) => node[name]) >>> 0; // without a count, the last
  const [first, ...others] = nodes; // the asked one
  others.sort((a, b) => rank(a) - rank(b) || total(b, counts) - total(a, counts));
  return [[first, ...others.slice(0, MOST - 2)], others.slice(MOST - 2)];
}

function listed(rest, open) {
  return make("details", {}, make("summary", {}, "Groups without a box"), make("ul", { class: "items" }, rest.map((node) =>
    make("li", {}, make("button", { type: "button", ...does(open(node)) }, node.name || `(no ${node.kind})`)))));
}

/** Return the table of the state if it has a node, and a button that shows the rows of all tables again. */
export function chosenTable(state, { nodes }) {
  const of = nodes.some(({ kind, name }) => kind === "table" && name === state.of) ? state.of : "";
  const all = make("button", { type: "button", class: "beside", onclick: () => go({ of: "" }) }, "Of all tables");
  return { of, more: of ? [all] : [] };
}
