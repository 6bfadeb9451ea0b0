// The side panel of a selected item: its values, what made it, what was made from it, its versions.

import { ask } from "./ask.js";
import { counted, element, make, plain, problem } from "./elements.js";
import { about, does, link } from "./state.js";
import { facts, itemLink } from "./tables.js";

const MOST = 60;
let shown = "";

/** Show the selected item of a state, or hide the panel. */
export async function showPanel(state) {
  const panel = element("panel");
  panel.hidden = !state.sel;
  document.body.classList.toggle("with-panel", Boolean(state.sel));
  if (!state.sel) {
    shown = "";
    return;
  }
  const asked = `${state.sel} ${state.as_of ?? ""}`;
  if (asked === shown) return;
  shown = asked;
  const parts = Object.fromEntries(
    ["values", "made", "used", "versions"].map((name) => [name, make("section", { id: `panel-${name}` })]));
  panel.replaceChildren(head(state), ...Object.values(parts));
  const near = ask("lineage", of(state, { depth: 1, limit: MOST }));
  await Promise.all([
    fill(parts.made, "Made from", () => made(state, near)),
    fill(parts.values, "Values", () => values(state, near)),
    fill(parts.used, "Used in", () => used(state)),
    fill(parts.versions, "Versions", () => versions(state)),
  ]);
}

function head(state) {
  const item = state.sel;
  const button = (text, changes, more = {}) =>
    make("button", { type: "button", ...does(changes), ...more }, text);
  return make("div", { class: "panel-head" },
    make("button", { type: "button", class: "close", "aria-label": "Close", ...does({ sel: "" }) }, "×"),
    make("h2", {}, item),
    make("div", { class: "buttons" },
      item === state.item && state.view === "explore" ? null : button("Ask about it", about(item), { class: "first" }),
      button("What if it did not exist?", { view: "what-if", strike: [item] }),
      state.item && state.item !== item ? button(`Path to ${state.item}`, { view: "path", from: item, to: state.item }) : null,
      button("Changes", { view: "changes", item })));
}

async function fill(section, title, find) {
  section.replaceChildren(make("h3", {}, title), make("p", { class: "soft" }, "…"));
  try {
    section.replaceChildren(make("h3", {}, title), ...(await find()));
  } catch (error) {
    section.replaceChildren(make("h3", {}, title), error.status === 403 ? note(ADMIN) : problem(error));
  }
}

const ADMIN = "The values are in the files of the warehouse's owner. A token with the role admin shows them.";
const note = (text) => make("p", { class: "soft" }, text);
const of = (state, more) => ({ item: state.sel, ...(state.as_of ? { as_of: asOf(state) } : {}), ...more });

/** Return the generation or the time of a state, as questions have it. */
export const asOf = (state) => (/^\d+$/.test(state.as_of) ? Number(state.as_of) : state.as_of);

async function values(state, near) {
  const found = await ask("record", of(state));
  const columns = Object.entries(found.values);
  if (columns.length) {
    const known = await hasColumns(state, found.item, columns[0][0], near);
    const texts = columns.map(([name, each]) =>
      [known ? columnLink(found.item, name) : name, typeof each === "object" && each ? JSON.stringify(each) : String(each)]);
    return [facts(texts), make("p", { class: "soft file" }, `From ${found.file}`)];
  }
  if (!found.lost.length) {
    return [note("Not known: no file that a captured job has read or written is known to have this record.")];
  }
  const files = found.lost.map(({ file, state: how }) => make("li", {}, `${file} (${how})`));
  return [note("Not known: these files are not as the job left them."), make("ul", {}, files)];
}

/** Return a link that asks from which columns a column of an item was computed. */
const columnLink = (item, column) => make("a", { href: link({ ...about(`${item}.${column}`), dir: "upstream" }) }, column);

/** Return whether an item was made by a job whose columns are known. */
async function hasColumns(state, item, column, near) {
  const { triples } = await near;
  return triples.length > 0
    && ask("lineage", of(state, { item: `${item}.${column}`, depth: 1, limit: 1 })).then((answer) => Boolean(answer.column), () => false);
}

async function made(state, near) {
  const found = await near;
  if (!found.triples.length) return [note("Nothing: it is a source.")];
  return ops(found, "src", await described(state));
}

async function used(state) {
  const found = await ask("impact", of(state, { depth: 1, limit: MOST }));
  if (!found.triples.length) return [note("Nothing was made from it.")];
  return ops(found, "dst", new Map());
}

async function described(state) {
  const found = await ask("ops", state.as_of ? { as_of: asOf(state) } : {});
  return new Map(found.map((each) => [each.op, each]));
}

/** Return, for each op, what is known of it, and the items at the other ends of its triples. */
function ops(found, end, known) {
  const byOp = new Map();
  for (const triple of found.triples) byOp.set(triple.op, [...(byOp.get(triple.op) ?? []), triple]);
  const parts = [...byOp].map(([op, triples]) => {
    const about = known.get(op) ?? {};
    const { attributes } = triples[0];
    const same = Object.entries(attributes).filter(([name, each]) =>
      triples.every((triple) => triple.attributes[name] === each));
    return make("details", { open: byOp.size < 4 },
      make("summary", {}, op || "(no op)", make("span", { class: "soft" }, ` ${counted(triples.length, "triple")}`)),
      facts([
        ["kind", about.kind], ["computes", about.function], ["module", about.module],
        ["job", about.job], ["place", about.place], ["exactness", about.exactness],
        ...same.map(([name, each]) => [name, String(each)]),
      ]),
      about.sql ? make("pre", { tabindex: 0 }, plain(about.sql)) : null,
      make("ul", { class: "items" }, triples.map((triple) => make("li", {}, itemLink(triple[end]), own(triple, same)))));
  });
  return found.truncated === "limit" ? [...parts, note(`Only the first ${MOST} items are listed.`)] : parts;
}

/** Return the attributes of one triple that not all triples of its op have. */
function own({ attributes }, same) {
  const known = new Set(same.map(([name]) => name));
  const rest = Object.entries(attributes).filter(([name]) => !known.has(name));
  return rest.length ? make("span", { class: "soft" }, ` ${rest.map(([name, each]) => `${name} ${each}`).join(", ")}`) : null;
}

async function versions(state) {
  const [base, , version] = state.sel.match(/^(.*?)(@(\d+))?$/s).slice(1);
  const found = await ask("find", { text: `${base}@`, limit: MOST });
  const others = found.items.map(({ item }) => item).filter((item) => /@\d+$/.test(item) && item.startsWith(`${base}@`));
  if (!others.length) return [note(version ? "Only this one." : "It has no versions.")];
  return [make("ul", { class: "items" }, others.map((item) =>
    make("li", {}, itemLink(item), item === state.sel ? make("span", { class: "soft" }, " this one") : null)))];
}
