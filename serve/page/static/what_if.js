// What would happen if items did not exist: which items die, change and survive, with values.

import { ask } from "./ask.js";
import { counted, make, say } from "./elements.js";
import { asOf } from "./panel.js";
import { drawPicture } from "./picture.js";
import { go } from "./state.js";
import { table } from "./tables.js";

/** Show the consequences of striking the items of the state. */
export async function whatIf(state, view, still) {
  view.replaceChildren(form(state));
  if (!state.strike.length) {
    say("Name an item, or select one and press What if it did not exist? Nothing is changed.");
    return;
  }
  say("…");
  const asked = { items: state.strike, ...(state.as_of ? { as_of: asOf(state) } : {}) };
  const [found, zoomed] = await Promise.all([ask("what-if", asked), ask("zoom-what-if", { ...asked, zoom: "table" })]);
  if (!still()) return;
  say(`Without ${counted(found.deleted, "item")}: ${counted(found.dies, "item")} would not exist, `
    + `${counted(found.changed_items, "item")} would have another value, ${counted(found.survives, "item")} would exist, `
    + `${counted(found.undecided, "item")} undecided. Nothing was changed.`);
  drawFates(view, zoomed);
  const values = found.changed.map((each) => ({ ...each, after: each.after ?? "nothing left" }));
  view.append(
    table("Values that change", [
      { heading: "item", field: "item", kind: "item" }, { heading: "op", field: "op" },
      { heading: "computes", field: "function" }, { heading: "before", field: "before", kind: "number" },
      { heading: "after", field: "after", kind: "number" },
      { heading: "inputs lost", field: "inputs_lost", kind: "number" }], values),
    found.unknown_values.length ? table("Values that cannot be computed again", [
      { heading: "item", field: "item", kind: "item" }, { heading: "op", field: "op" },
      { heading: "reason", field: "reason" }], found.unknown_values) : "",
    table("By table", ["table", "dies", "changed", "undecided", "survives"].map((name) =>
      ({ heading: name, field: name, kind: name === "table" ? "" : "number" })), found.tables),
    table("Items", [
      { heading: "item", field: "item", kind: "item" }, { heading: "table", field: "table" },
      { heading: "fate", field: "fate" }], found.items.slice(0, 1000)));
}

const MOST = 60;
const FATES = { deleted: "struck", dies: "would not exist", changed: "another value", undecided: "undecided", survives: "would exist" };

/** Draw the tables with the fates of their items. */
function drawFates(view, { nodes, edges }) {
  if (!edges.length || nodes.length > MOST) return;
  const frame = make("div", { class: "picture", tabindex: 0 });
  view.append(frame);
  const boxes = nodes.map((node) => {
    const fates = Object.keys(FATES).filter((fate) => node[fate]);
    return { ...node, id: String(node.node), depth: 0, note: fates.map((fate) => `${node[fate]} ${FATES[fate]}`).join(", "), fate: fates[0] };
  });
  const links = edges.filter(({ from, to }) => from !== to).map((edge) => ({ ...edge, from: String(edge.from), to: String(edge.to) }));
  drawPicture(frame, boxes, links, { select: (box) => go({ sel: box.name }) }, "Picture of the consequences");
}

function form(state) {
  const field = make("input", { id: "strike-more", "aria-label": "Item to strike", placeholder: "item", spellcheck: "false" });
  return make("form", { class: "controls", onsubmit: (event) => {
    event.preventDefault();
    if (field.value.trim()) go({ strike: [...state.strike, field.value.trim()] });
  } },
  ...state.strike.map((item) => make("button", { type: "button", class: "chip struck", "aria-label": `Do not strike ${item}`,
    onclick: () => go({ strike: state.strike.filter((each) => each !== item) }) }, `${item} ×`)),
  field, make("button", { type: "submit" }, "Strike"));
}
