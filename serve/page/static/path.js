// How one item was derived from another: a shortest path, or all paths.

import { ask } from "./ask.js";
import { counted, make, say } from "./elements.js";
import { asOf } from "./panel.js";
import { drawPicture } from "./picture.js";
import { about, go } from "./state.js";
import { table } from "./tables.js";

const MOST = 60;

/** Show the path between the two items of the state. */
export async function path(state, view, still) {
  const frame = make("div", { class: "picture", tabindex: 0 });
  view.replaceChildren(form(state));
  if (!state.from || !state.to) {
    say("Name the item at the start and the item that was made from it.");
    return;
  }
  const found = await ask("path", {
    from: state.from, to: state.to, all: state.all === "yes", ...(state.as_of ? { as_of: asOf(state) } : {}),
  });
  if (!still()) return;
  say(`${counted(found.hops, "hop")}, ${counted(found.items.length, "item")}.`);
  view.append(frame, table("Triples of the path", [
    { heading: "from", field: "src", kind: "item" }, { heading: "made", field: "dst", kind: "item" },
    { heading: "op", field: "op" }], found.triples));
  if (found.items.length > MOST) {
    frame.replaceChildren(make("p", {}, "The path has too many items for a picture: see the table."));
    return;
  }
  const boxes = found.items.map(({ item, table: of, depth }) => ({
    id: item, kind: "item", name: item, table: of, items: 1, depth, asked: depth === found.hops, selected: item === state.sel,
  }));
  const links = found.triples.map(({ src, dst, op }) => ({ from: src, to: dst, op, triples: 1 }));
  drawPicture(frame, boxes, links, { select: (box) => go({ sel: box.name }), walk: (box) => go(about(box.name)) }, "Picture of the path");
}

function form(state) {
  const field = (name, label) => make("input", { name, value: state[name] ?? "", "aria-label": label, placeholder: label, spellcheck: "false" });
  const [from, to] = [field("from", "from item"), field("to", "to item")];
  const all = make("input", { type: "checkbox", checked: state.all === "yes" });
  return make("form", { class: "controls", onsubmit: (event) => {
    event.preventDefault();
    go({ from: from.value.trim(), to: to.value.trim(), all: all.checked ? "yes" : "" });
  } }, from, to, make("label", {}, all, " all paths"), make("button", { type: "submit" }, "Show"));
}
