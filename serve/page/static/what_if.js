// What would happen if items did not exist: which items die, change and survive, with values.

import { ask } from "./ask.js";
import { counted, make, number, say } from "./elements.js";
import { drawTables } from "./levels.js";
import { asOf } from "./panel.js";
import { itemField } from "./search.js";
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
  const doubts = found.undecided ? await ask("page/undecided", asked) : [];
  if (!still()) return;
  say(`Without ${counted(found.deleted, "item")}: ${counted(found.dies, "item")} would not exist, `
    + `${counted(found.changed_items, "item")} would have another value, ${counted(found.survives - found.changed_items, "item")} would still exist unchanged, `
    + `${counted(found.undecided, "item")} undecided. Nothing was changed.`);
  drawTables(view, zoomed, FATES, "Picture of the consequences", (box) => ({ of: box.name }));
  const values = found.changed.map((each) => ({ ...each, after: each.after ?? "nothing left" }));
  view.append(
    table("Values that change", [
      { heading: "item", field: "item", kind: "item" }, { heading: "op", field: "op" },
      { heading: "computes", field: "function" }, { heading: "before", field: "before", kind: "number" },
      { heading: "after", field: "after", kind: "number" },
      { heading: "inputs lost", field: "inputs_lost", kind: "number" }], values),
    missing(found, doubts),
    found.unknown_values.length ? table("Values that cannot be computed again", [
      { heading: "item", field: "item", kind: "item" }, { heading: "op", field: "op" },
      { heading: "reason", field: "reason" }], found.unknown_values) : "",
    table("By table", ["table", "dies", "changed", "undecided", "survives"].map((name) =>
      ({ heading: FATES[name] ?? name, field: name, kind: name === "table" ? "" : "number" })), found.tables),
    items(state, found.items));
  if (state.of) view.querySelector('[aria-label^="Items of"]')?.scrollIntoView({ block: "nearest" });
}

const MOST = 1000;
const FATES = { deleted: "struck", dies: "would not exist", changed: "another value", undecided: "undecided", survives: "would still exist" };
const RECORD = "provhouse ingest --operations FILE";
const LACKS = {
  function: "The op is a function: it is not recorded what it does with each input.",
  except: "An input of this op may also prevent an item: it is not recorded which input does what.",
  captured: "Inputs would have other values, and the job may have used any of them in a condition.",
  nothing: "The kind of the op is not recorded: an item may need each of its inputs, or only one of them.",
};
const CYCLE = "They are derived from each other, and the lineage does not say what else they were made from.";

/** Return why items have no new value: what is not recorded, by op. */
function missing(found, doubts) {
  if (!found.undecided) return "";
  const rows = doubts.map(({ op, kind }) => ({
    op: op || "(no op)", kind: kind ?? "not recorded", why: LACKS[kind ?? "nothing"] ?? LACKS.captured,
  }));
  const remedy = doubts.some(({ kind }) => !kind) ? make("p", {}, "To get an answer, record the kind of each op, and of an aggregate also its function: ",
    make("code", {}, RECORD), ". A new value also needs the value that each input gives to the aggregate, in the trace.") : null;
  return make("section", { id: "missing" },
    make("p", {}, `${counted(found.undecided, "item")} ${found.undecided === 1 ? "is undecided" : "are undecided"}: it is not known whether `
      + `${found.undecided === 1 ? "it" : "they"} would still exist, so no new value is shown.`),
    rows.length ? table("Why", [{ heading: "op", field: "op" }, { heading: "kind", field: "kind" }, { heading: "what is missing", field: "why" }], rows)
      : make("p", {}, CYCLE),
    remedy);
}

/** Return a table of items: those of the table of the state, or all. */
function items(state, found) {
  const chosen = state.of ? found.filter((each) => each.table === state.of) : found;
  const rows = chosen.slice(0, MOST).map((each) => ({ ...each, fate: FATES[each.fate] ?? each.fate }));
  const all = make("button", { type: "button", class: "beside", onclick: () => go({ of: "" }) }, "Items of all tables");
  const first = chosen.length > MOST ? `, the first ${number(MOST)} of them` : "";
  return table(`${state.of ? `Items of ${state.of}` : "Items"}: ${number(chosen.length)}${first}`, [
    { heading: "item", field: "item", kind: "item" }, { heading: "table", field: "table" },
    { heading: "fate", field: "fate" }], rows, state.of ? [all] : []);
}

function form(state) {
  const field = itemField("item to strike", "", { id: "strike-more" });
  return make("form", { class: "controls", onsubmit: (event) => {
    event.preventDefault();
    if (field.value.trim()) go({ strike: [...state.strike, field.value.trim()] });
  } },
  ...state.strike.map((item) => make("button", { type: "button", class: "chip struck", "aria-label": `Do not strike ${item}`,
    onclick: () => go({ strike: state.strike.filter((each) => each !== item) }) }, `${item} ×`)),
  field, make("button", { type: "submit" }, "Strike"));
}
