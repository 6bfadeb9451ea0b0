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
  if (state.before && state.after) await difference(state, view, still);
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

async function difference(state, view, still) {
  const found = await ask("revision-diff", { before: state.before, after: state.after });
  if (!still()) return;
  const plain = (each) => (typeof each === "number" ? number(each) : typeof each === "string" ? each : JSON.stringify(each));
  view.append(make("section", {}, make("h2", {}, `${state.before} and ${state.after}: ${found.verdict}`),
    make("p", {}, found.reason), facts(Object.entries(found.results ?? {}).map(([name, each]) => [name, plain(each)])),
    make("ul", {}, found.changes.map((each) => make("li", {}, plain(each))))));
}
