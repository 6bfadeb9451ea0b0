// How one item was derived from another: a shortest path, or all paths.

import { ask } from "./ask.js";
import { counted, make, say } from "./elements.js";
import { chosenTable, drawTables } from "./levels.js";
import { asOf } from "./panel.js";
import { drawPicture } from "./picture.js";
import { itemField } from "./search.js";
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
  const question = {
    from: state.from, to: state.to, all: state.all === "yes", ...(state.as_of ? { as_of: asOf(state) } : {}),
  };
  const found = await ask("path", question);
  if (!still()) return;
  say(state.all === "yes" ? `All paths have ${counted(found.items.length, "item")}; a shortest one has ${counted(found.hops, "hop")}.`
    : `${counted(found.hops, "hop")}, ${counted(found.items.length, "item")}.`);
  const triples = (of, rows) => table(`Triples of the path${of ? ` from or to ${of}` : ""}`, [
    { heading: "from", field: "src", kind: "item" }, { heading: "made", field: "dst", kind: "item" },
    { heading: "op", field: "op" }], rows);
  if (found.items.length > MOST) {
    const zoomed = await ask("zoom-path", { ...question, zoom: "table" });
    if (!still()) return;
    drawTables(view, zoomed, {}, "Picture of the paths, by table", (box) => ({ of: box.name }));
    const { of, more } = chosenTable(state, zoomed);
    const inside = new Set(found.items.filter((each) => each.table === of).map(({ item }) => item));
    view.append(...more, triples(of, found.triples.filter(({ src, dst }) => !of || inside.has(src) || inside.has(dst))));
    return;
  }
  view.append(frame, triples("", found.triples));
  const boxes = found.items.map(({ item, table: of, depth }) => ({
    id: item, kind: "item", name: item, table: of, items: 1, depth, asked: depth === found.hops, selected: item === state.sel,
  }));
  const links = found.triples.map(({ src, dst, op }) => ({ from: src, to: dst, op, triples: 1 }));
  drawPicture(frame, boxes, links, { select: (box) => ({ sel: box.name }), walk: (box) => about(box.name) }, "Picture of the path");
}

function form(state) {
  const [from, to] = [itemField("from item", state.from), itemField("to item", state.to)];
  const all = make("input", { type: "checkbox", checked: state.all === "yes" });
  return make("form", { class: "controls", onsubmit: (event) => {
    event.preventDefault();
    go({ from: from.value.trim(), to: to.value.trim(), all: all.checked ? "yes" : "" });
  } }, from, to, make("label", {}, all, " all paths"), make("button", { type: "submit" }, "Show"));
}
