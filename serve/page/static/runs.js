// What was stored when: the generations, captured writes, ops and modules.

import { ask } from "./ask.js";
import { counted, make, plain, say } from "./elements.js";
import { asOf } from "./panel.js";
import { go } from "./state.js";
import { recordTable, table } from "./tables.js";

/** Show generations and writes, and the ops and modules of the generation of the state. */
export async function runs(state, view, still) {
  const of = state.as_of ? { as_of: asOf(state) } : {};
  const [list, ops, modules, { writes, uncaptured, waiting, captures }, reports] = await Promise.all(
    [ask("generations"), ask("ops", of), ask("modules", of), ask("page/writes"), blames()]);
  if (!still()) return;
  say(`${counted(list.length, "generation")}, ${counted(writes.length, "captured write")}, ${counted(ops.length, "described op")}.`);
  const rows = [...list].reverse().map((each) => ({ ...each, time: each.time.slice(0, 19).replace("T", " "), ask: make("button", {
    type: "button", onclick: () => go({ view: "explore", as_of: String(each.generation) }), "aria-label": `Ask as of generation ${each.generation}`,
  }, "ask as of") }));
  view.replaceChildren(
    ...reported(reports, state.report),
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
    table("What the last captured jobs have cost", [
      { heading: "table", field: "table" }, { heading: "version", field: "version" }, { heading: "run", field: "run" },
      { heading: "rows", field: "rows", kind: "number" }, { heading: "associations", field: "associations", kind: "number" },
      { heading: "bytes of associations", field: "bytes", kind: "number" }, { heading: "seconds of the write", field: "seconds", kind: "number" },
      { heading: "of these, to rewrite its plan", field: "rewriting", kind: "number" },
      { heading: "seconds to ingest the block", field: "landing", kind: "number" }], captures.flatMap(costs)),
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

const costs = ({ run, landing, writes }) => writes.map((each) => ({
  ...each, run, seconds: rounded(each.seconds + each.rewriting), rewriting: rounded(each.rewriting), landing: rounded(landing),
}));
const rounded = (seconds) => Math.round(1000 * seconds) / 1000;

/** Return the reports of `provhouse blame`; none for people who may not see values. */
const blames = () => ask("page/reports").catch((error) => {
  if (error.status === 403) return [];
  throw error;
});

/** Return a table of reports, and the content of the one with a name. */
function reported(reports, name) {
  if (!reports.length) return [];
  const rows = reports.map((each) => ({
    time: each.time.slice(0, 19).replace("T", " "), table: each.table, fault: each.fault, wrong: each.rows.length, item: each.rows[0].item,
    show: make("button", { type: "button", "aria-pressed": String(each.name === name), "aria-label": `Show the report on ${each.rows[0].item}`,
      onclick: () => go({ report: each.name === name ? "" : each.name }) }, "show"),
  }));
  const shown = reports.find((each) => each.name === name);
  const first = (each) => (each.count > each.records.length ? `, the first ${each.records.length} of them` : "");
  return [
    table("Reports of provhouse blame", [
      { heading: "time", field: "time", kind: "short" }, { heading: "table", field: "table" }, { heading: "wrong if", field: "fault" },
      { heading: "wrong rows", field: "wrong", kind: "number" }, { heading: "the first", field: "item", kind: "item" },
      { heading: "", field: "show" }], rows),
    ...(shown ? [
      recordTable(`Wrong rows of ${shown.table}${shown.more ? ", the first of them" : ""}`, shown.rows),
      ...shown.blamed.map((each) => recordTable(
        `${shown.smallest ? `To blame in ${each.table}, after ${counted(shown.runs, "run")}` : `Derived from ${each.table}`}: ${counted(each.count, "record")}${first(each)}`, each.records)),
    ] : []),
  ];
}

/** Return a row with its lists as texts. */
const joined = (row) =>
  Object.fromEntries(Object.entries(row).map(([name, each]) => [name, Array.isArray(each) ? each.join(", ") : each]));
