// What was stored when: the generations, the ops and the modules.

import { ask, askOnce } from "./ask.js";
import { counted, make, say } from "./elements.js";
import { asOf } from "./panel.js";
import { go } from "./state.js";
import { table } from "./tables.js";

/** Show the generations, and the ops and modules of the generation of the state. */
export async function runs(state, view, still) {
  const of = state.as_of ? { as_of: asOf(state) } : {};
  const [list, ops, modules] = await Promise.all([ask("generations"), askOnce("ops", of), askOnce("modules", of)]);
  if (!still()) return;
  const described = rowsOf(ops);
  say(`${counted(list.length, "generation")}, ${counted(described.length, "described op")}.`);
  const rows = [...list].reverse().map((each) => ({ ...each, time: each.time.slice(0, 19).replace("T", " "), ask: make("button", {
    type: "button", onclick: () => go({ view: "explore", as_of: String(each.generation) }), "aria-label": `Ask as of generation ${each.generation}`,
  }, "ask as of") }));
  view.replaceChildren(
    table("Generations", [
      { heading: "generation", field: "generation", kind: "number" }, { heading: "time", field: "time" },
      { heading: "change", field: "change" }, { heading: "new triples", field: "new_triples", kind: "number" },
      { heading: "new items", field: "new_items", kind: "number" }, { heading: "rejected", field: "rejected", kind: "number" },
      { heading: "triples", field: "triples", kind: "number" }, { heading: "items", field: "items", kind: "number" },
      { heading: "", field: "ask" }], rows),
    table("Ops", ["op", "kind", "function", "module", "job", "place", "exactness", "sql"].map((name) => ({ heading: name, field: name })), described),
    table("Modules", ["module", "ops", "inputs", "outputs", "state"].map((name) => ({ heading: name, field: name })),
      rowsOf(modules).map((row) => Object.fromEntries(Object.entries(row).map(([name, each]) => [name, Array.isArray(each) ? each.join(", ") : each])))));
}

/** Return the rows of an answer, which is a list or an object with one list of objects. */
const rowsOf = (found) => (Array.isArray(found) ? found : Object.values(found).find((each) => Array.isArray(each)) ?? []);
