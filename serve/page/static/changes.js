// What changed between two generations: items that came and went, and why a value changed.

import { ask } from "./ask.js";
import { counted, make, number, problem, say } from "./elements.js";
import { chosenTable, drawTables } from "./levels.js";
import { itemField } from "./search.js";
import { go } from "./state.js";
import { table } from "./tables.js";

const ROWS = 500;

/** Show how the answer about the item of the state changed. */
export async function changes(state, view, still) {
  const list = await ask("generations");
  if (!still()) return;
  view.replaceChildren(form(state, list));
  if (!state.item || !state.since) {
    say(list.length < 2 ? "There is only one generation: nothing to compare yet." : "Name an item and an earlier generation.");
    return;
  }
  const direction = state.dir === "downstream" ? "downstream" : "upstream";
  const span = { from: Number(state.since), ...(state.until ? { to: Number(state.until) } : {}) };
  const found = await ask("diff", { item: state.item, direction, ...span });
  if (!still()) return;
  say(`Between generations ${found.from.generation} and ${found.to.generation}: `
    + `${counted(found.came.items.length, "item")} came, ${counted(found.went.items.length, "item")} went, `
    + `${counted(found.came.triples.length, "triple")} came, ${counted(found.went.triples.length, "triple")} went.`);
  const zoomed = await ask("zoom-diff", { item: state.item, direction, ...span, zoom: "table" });
  if (!still()) return;
  drawTables(view, zoomed, { came: "came", went: "went" }, "Picture of the changes", (box) => ({ of: box.name }));
  const columns = [{ heading: "item", field: "item", kind: "item" }, { heading: "table", field: "table" },
    { heading: "hops", field: "depth", kind: "number" }];
  const { of, more } = chosenTable(state, zoomed);
  view.append(...more, ...[["Came", found.came], ["Went", found.went]].map(([title, { items }]) => {
    const rows = items.filter((each) => !of || each.table === of);
    const first = rows.length > ROWS ? `: the first ${number(ROWS)} of ${number(rows.length)} items` : "";
    return table(`${title}${of ? ` in ${of}` : ""}${first}`, columns, rows.slice(0, ROWS));
  }));
  try {
    const why = await ask("why-changed", { item: state.item, ...span });
    if (still() && (why.inputs.length || why.values.length)) view.append(...reasons(why));
  } catch (error) {
    if (still() && error.status !== 400 && error.status !== 404) view.append(problem(error));
  }
}

/** Return the values of an aggregate in both generations, and the inputs that make the difference. */
function reasons({ values, inputs, cut }) {
  const numbers = (names) => names.map((field) => ({ heading: field.replace("_", " "), field, kind: "number" }));
  const erased = inputs.some(({ input }) => input === "(erased)");
  return [
    table("The value", [{ heading: "op", field: "op" }, { heading: "computes", field: "function" },
      ...numbers(["before", "after", "difference"]), { heading: "not known because", field: "reason" }], values),
    table(`Why the value changed${cut ? ": the inputs with the largest shares" : ""}`, [
      { heading: "input", field: "input", kind: erased ? "" : "item" }, { heading: "change", field: "change" },
      ...numbers(["before", "after", "times_before", "times_after", "share"])], inputs)];
}

function form(state, list) {
  const item = itemField("item", state.item);
  const before = state.since ?? String(list.at(-2)?.generation ?? "");
  const generation = (label, chosen) => make("select", { "aria-label": label }, make("option", { value: "" }, label),
    ...[...list].reverse().map((each) => make("option", { value: each.generation, selected: String(each.generation) === chosen },
      `${each.generation}: ${each.time.slice(0, 16).replace("T", " ")} ${each.change ?? ""}`)));
  const [since, until] = [generation("earlier generation", before), generation("now", state.until)];
  return make("form", { class: "controls", onsubmit: (event) => {
    event.preventDefault();
    go({ item: item.value.trim(), since: since.value, until: until.value });
  } }, item, since, until, make("button", { type: "submit" }, "Compare"));
}

