// What was stored when: the generations, captured writes, ops and modules.

import { ask } from "./ask.js";
import { counted, make, plain, say } from "./elements.js";
import { asOf } from "./panel.js";
import { go } from "./state.js";
import { table } from "./tables.js";

/** Show generations and writes, and the ops and modules of the generation of the state. */
export async function runs(state, view, still) {
  const of = state.as_of ? { as_of: asOf(state) } : {};
  const [list, ops, modules, { writes, uncaptured, waiting }] = await Promise.all(
    [ask("generations"), ask("ops", of), ask("modules", of), ask("page/writes")]);
  if (!still()) return;
  say(`${counted(list.length, "generation")}, ${counted(writes.length, "captured write")}, ${counted(ops.length, "described op")}.`);
  const rows = [...list].reverse().map((each) => ({ ...each, time: each.time.slice(0, 19).replace("T", " "), ask: make("button", {
    type: "button", onclick: () => go({ view: "explore", as_of: String(each.generation) }), "aria-label": `Ask as of generation ${each.generation}`,
  }, "ask as of") }));
  view.replaceChildren(
    table("Generations", [
      { heading: "generation", field: "generation", kind: "number" }, { heading: "time", field: "time", kind: "short" },
      { heading: "change", field: "change" }, { heading: "new triples", field: "new_triples", kind: "number" },
      { heading: "new items", field: "new_items", kind: "number" }, { heading: "rejected", field: "rejected", kind: "number" },
      { heading: "triples", field: "triples", kind: "number" }, { heading: "items", field: "items", kind: "number" },
      { heading: "", field: "ask" }], rows),
    table("Captured writes", [
      { heading: "table", field: "table" }, { heading: "version", field: "version" }, { heading: "run", field: "run" },
      { heading: "key", field: "key" }, { heading: "files", field: "files", kind: "number" },
      { heading: "bytes", field: "bytes", kind: "number" },
      { heading: "rows without a source", field: "bare", kind: "number" }], [...writes].reverse().map(joined)),
    table("Tables whose last write was not captured", [
      { heading: "table", field: "table" }, { heading: "run", field: "run" }, { heading: "time", field: "written", kind: "short" },
      { heading: "reason", field: "reason" }], uncaptured),
    table("Captured jobs that are not ingested", [
      { heading: "run", field: "run" }, { heading: "began", field: "begun", kind: "short" },
      { heading: "ended", field: "ended", kind: "short" }, { heading: "error", field: "error" }], waiting),
    table("Ops", ["op", "kind", "function", "module", "job", "place", "exactness", "sql"].map((name) => ({ heading: name, field: name })),
      ops.map((each) => ({ ...each, sql: plain(each.sql) }))),
    table("Modules", ["module", "ops", "inputs", "outputs", "state"].map((name) => ({ heading: name, field: name })),
      modules.map(joined)));
}

/** Return a row with its lists as texts. */
const joined = (row) =>
  Object.fromEntries(Object.entries(row).map(([name, each]) => [name, Array.isArray(each) ? each.join(", ") : each]));
