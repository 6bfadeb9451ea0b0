// Revisions of workflows: what changed, what it changed in the results, and whether results can be used.

import { ask } from "./ask.js";
import { counted, make, number, say } from "./elements.js";
import { go } from "./state.js";
import { facts, table } from "./tables.js";

/** Show all workflows, or one with its revisions and results, or the difference of two revisions. */
export async function revisions(state, view, still) {
  const found = await ask("revisions", state.workflow ? { workflow: state.workflow } : {});
  if (!still()) return;
  const rows = found.revisions.map((each) => ({
    ...each, changes: each.changes.join("; "), sinks: each.sinks.join(", "), open: opener(state, each.revision),
  }));
  if (!state.workflow && !rows.length) {
    say("No workflow has a revision. The command `provhouse revisions add` stores one.");
    view.replaceChildren();
    return;
  }
  say(state.workflow ? `${state.workflow}: ${counted(rows.length, "revision")}.` : `${counted(rows.length, "workflow")}. The newest revision of each is listed.`);
  view.replaceChildren(state.workflow ? back() : "", table("Revisions", [
    { heading: "revision", field: "revision" }, { heading: "sinks", field: "sinks" },
    { heading: "language", field: "language" }, { heading: "time", field: "time" },
    { heading: "changes", field: "changes" }, { heading: "", field: "open" }], rows));
  if (!state.workflow) return;
  if (state.before && state.after) await difference(state, view, found.revisions, still);
  const results = await ask("results", { workflow: state.workflow });
  if (!still()) return;
  const listed = results.results.map((each) => ({ ...each, inputs: each.inputs.join(", "), use: each.hindrance || "can be used" }));
  view.append(table("Results", [
    { heading: "revision", field: "revision" }, { heading: "sink", field: "sink" },
    { heading: "execution", field: "execution" }, { heading: "state", field: "state" },
    { heading: "started", field: "started" }, { heading: "ended", field: "ended" },
    { heading: "records", field: "records", kind: "number" }, { heading: "inputs", field: "inputs" },
    { heading: "reused from", field: "reused_from" }, { heading: "use", field: "use" }], listed));
}

const back = () => make("button", { type: "button", onclick: () => go({ workflow: "", before: "", after: "" }) }, "All workflows");

/** Return a button that opens a workflow, or compares a revision with the one chosen before. */
function opener(state, revision) {
  const workflow = revision.replace(/@r\d+$/, "");
  if (!state.workflow) return make("button", { type: "button", onclick: () => go({ workflow }) }, "open");
  const chosen = state.before && !state.after && state.before !== revision;
  return make("button", { type: "button", onclick: () =>
    go(chosen ? { after: revision } : { before: revision, after: "" }) }, chosen ? `compare with ${state.before}` : "compare");
}

/** Show the difference of the two revisions of the state, in each sink that both have. */
async function difference(state, view, listed, still) {
  const [before, after] = [state.before, state.after].map((name) => listed.find((each) => each.revision === name)?.sinks);
  const sinks = before && after ? before.filter((name) => after.includes(name)) : [null]; // null: the server says what is missing
  const parts = await Promise.all(sinks.map((sink) => inSink(state, sink)));
  if (!still()) return;
  view.append(...(parts.length ? parts : [make("p", { class: "soft" }, `${state.before} and ${state.after} have no sink in common.`)]));
}

async function inSink(state, sink) {
  const asked = { before: state.before, after: state.after, sink };
  const [found, lacking] = await ask("revision-diff", { ...asked, records: true }).then((all) => [all, null], async (error) =>
    (error.status === 400 || error.status === 404 ? [await ask("revision-diff", asked), error] : Promise.reject(error)));
  return make("section", {}, make("h2", {}, `${state.before} and ${state.after}, ${found.sink}: ${found.verdict}`),
    make("p", {}, found.reason), facts([["first operator that differs", found.operator]]),
    list("Operators that changed", found.changes), list("Inputs that changed", found.inputs),
    ...(found.results ? changedRecords(found.results) : [make("p", { class: "soft" },
      [`The records are not compared: ${lacking.message}`, lacking.detail, lacking.remedy].filter(Boolean).join(". "))]));
}

const list = (title, texts) => (texts.length ? [make("h3", {}, title), make("ul", {}, texts.map((each) => make("li", {}, each)))] : null);
const CAUSES = {
  code: "code", data: "data", either: "code or data: each alone suffices", both: "code and data together", "": "not known",
};

/** Return how many records of two results differ and why, and the first of these records. */
function changedRecords({ key, causes, records, notes, ...found }) {
  const said = `${counted(found.came, "record")} came, ${number(found.went)} went, ${number(found.changed)} changed.`;
  const names = [...new Set(records.flatMap((each) => Object.keys(each.after ?? each.before)))];
  const rows = records.map(({ kind, cause, before, after }) => ({
    " kind": kind, " cause": CAUSES[cause] ?? cause, ...Object.fromEntries(names.map((name) => [name, step(before, after, name)])),
  }));
  const total = found.came + found.went + found.changed;
  const first = total > rows.length ? `, the first ${number(rows.length)} of them` : "";
  return [make("p", {}, said), ...notes.map((each) => make("p", { class: "soft" }, each)),
    facts([["key", key.join(", ")], ["columns that came", found.columns_came.join(", ")],
      ["columns that went", found.columns_went.join(", ")], ["columns with another type", found.columns_retyped.join(", ")]]),
    table("Causes", [{ heading: "records", field: "kind" }, { heading: "because of", field: "because" },
      { heading: "number", field: "records", kind: "number" }], causes.map((each) => ({ ...each, because: CAUSES[each.cause] ?? each.cause }))),
    table(`Records that differ: ${number(total)}${first}`, [{ heading: "", field: " kind" }, { heading: "because of", field: " cause" },
      ...names.map((name) => ({ heading: name, field: name, kind: "short" }))], rows)];
}

/** Return the value of a column in a record that came or went, or both values if it changed. */
function step(before, after, name) {
  const [old, now] = [before, after].map((row) => (row ? row[name] ?? "NULL" : null));
  return old === null || now === null || old === now ? now ?? old : `${old} → ${now}`;
}
