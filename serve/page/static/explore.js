// The view of an item: its lineage and impact as a picture and as a table.

import { ask, askEarly, download } from "./ask.js";
import { counted, element, make, number, problem, say } from "./elements.js";
import { asOf } from "./panel.js";
import { drawPicture } from "./picture.js";
import { about, chartsOf, does } from "./state.js";
import { recordTable, table } from "./tables.js";
import { controls } from "./tools.js";

const MOST_BOXES = 60;
const FIRST = 10;
const ROWS = 200;
const MARKS = { upstream: "<", downstream: ">" };

/** Show an item, with the given state of the page. */
export async function explore(state, view, still) {
  // What is shown stays until the answer has come.
  const frame = element("picture") ?? make("div", { class: "picture", id: "picture", tabindex: 0 });
  const rows = element("rows") ?? make("div", { id: "rows" });
  const head = element("head") ?? make("div", { id: "head" });
  if (rows.dataset.item !== state.item) rows.replaceChildren(); // laying out tables of another item would take time
  rows.dataset.item = state.item;
  const pressed = document.activeElement?.closest("#head [data-value], #head [id]");
  const place = pressed && (pressed.id ? `#${pressed.id}` : `#${pressed.parentElement.id} [data-value="${pressed.dataset.value}"]`);
  head.replaceChildren(controls(state), chips(state));
  if (!frame.isConnected) view.replaceChildren(head, frame, rows);
  if (place) document.querySelector(place)?.focus();
  say("…");
  const directions = directionsOf(state);
  const answers = await Promise.all(directions.map((direction) => ask(...asked(state, direction))));
  if (!still()) return;
  element("title").textContent = state.item;
  say(said(answers, state.by));
  const { boxes, links } = joined(state, answers);
  drawPicture(frame, boxes, links, acts(state, answers));
  if (state.rest && !state.sel) listRest(state, answers);
  requestAnimationFrame(() => setTimeout(() => performance.measure("drawn", "asked"))); // after painting
  const [own, values, ...tables] = await Promise.all(
    [askedRecord(state), openedRecords(state), ...directions.map((direction) => answerRows(state, direction))]);
  if (still()) rows.replaceChildren(...own, ...values, ...tables);
}

/** Ask early what the picture of a state shows. */
export function exploreEarly(state) {
  askEarly(directionsOf(state).map((direction) => asked(state, direction)));
}

const directionsOf = ({ dir }) => (dir === "both" ? ["upstream", "downstream"] : [dir]);
const asked = (state, direction) => ["page/picture", question(state, direction, directionsOf(state).length)];

function question(state, direction, parts) {
  const opened = {};
  for (const each of state.open.filter((one) => one[0] === MARKS[direction])) {
    const [count, ...key] = each.slice(1).split(" ");
    opened[key.join(" ")] = Number(count);
  }
  return {
    item: state.item, direction, by: state.by, opened, most: MOST_BOXES / parts,
    depth: state.depth ? Number(state.depth) : null, as_of: state.as_of ? asOf(state) : null,
  };
}

/** Return the boxes and links of both directions; the asked item is one box. */
function joined(state, answers) {
  const [boxes, links] = [[], []];
  const last = state.open.at(-1)?.replace(/^(.)\d+ /, "$1"); // in a shared address, people look for what was opened last
  for (const { direction, boxes: some, links: ways } of answers) {
    const id = (at) => (at === 0 ? "asked" : `${MARKS[direction]}${at}`);
    const opened = new Set(some.filter((box) => box.kind === "item").map((box) => box.group));
    some.forEach((box, at) => {
      if (at === 0 && boxes.length) return;
      boxes.push({
        ...box, id: id(at), direction, asked: at === 0, selected: box.kind === "item" && box.name === state.sel,
        partly: box.kind !== "item" && opened.has(box.group),
        sought: last === MARKS[direction] + box.group && (box.kind === "item" || !opened.has(box.group)),
      });
    });
    links.push(...ways.map((way) => ({ ...way, from: id(way.from), to: id(way.to) })));
  }
  boxes.sort((a, b) => a.depth - b.depth || (a.name < b.name ? -1 : 1));
  return { boxes, links };
}

function said(answers, by) {
  const words = { upstream: "derives from", downstream: "reached" };
  const parts = answers.map((each) => {
    const cut = each.truncated === "depth" ? " within this depth" : "";
    const erased = each.erased ? `, ${counted(each.erased, "item")} erased` : "";
    if (!each.found) return each.direction === "upstream" ? "It is a source." : "Nothing was made from it.";
    const lacks = each.complete ? "" : " Other rows may be missing: only samples of some writes have lineage.";
    return `It ${words[each.direction]} ${counted(each.found, "item")}${cut}, by ${counted(each.triples, "triple")}${erased}.${lacks}`;
  });
  const [{ generation, time, column, item }] = answers;
  const row = column ? ` Shown is the row ${item}.` : "";
  const modules = by === "module" && !answers.some(({ boxes, rest }) => [...boxes, ...rest].some(({ kind }) => kind === "module"));
  const flat = modules ? " No module is known: the groups are tables." : "";
  return `${parts.join(" ")}${flat}${row} Generation ${generation}, ${time.slice(0, 16).replace("T", " ")}.`;
}

function acts(state, answers) {
  const entry = (box, count) => `${MARKS[box.direction]}${count} ${box.group}`;
  const others = (box) => state.open.filter((each) => !(each[0] === MARKS[box.direction] && each.split(" ").slice(1).join(" ") === box.group));
  const now = (box) => {
    const found = state.open.find((each) => !others(box).includes(each));
    return found ? Number(found.slice(1).split(" ")[0]) : 0;
  };
  return {
    select: (box) => ({ sel: box.name }),
    walk: (box) => about(box.name),
    open: (box) => (box.kind === "rest" ? { rest: MARKS[box.direction], sel: "" }
      : { open: [...others(box), entry(box, now(box) ? 2 * now(box) : FIRST)] }),
    fold: (box) => ({ open: others(box) }),
  };
}

/** Show the groups of a direction that have no box; each can get one. */
function listRest(state, answers) {
  const answer = answers.find((each) => MARKS[each.direction] === state.rest);
  if (!answer?.rest.length) return;
  const pressed = document.activeElement?.closest(".box.rest");
  const panel = element("panel");
  panel.hidden = false;
  document.body.classList.add("with-panel");
  const close = make("button", { type: "button", class: "close", "aria-label": "Close", ...does({ rest: "" }) }, "×");
  panel.replaceChildren(make("div", { class: "panel-head" }, close, make("h2", {}, "Groups without a box")), make("ul", { class: "items" }, answer.rest.map((group) =>
    make("li", {}, make("button", { type: "button",
      ...does({ open: [...state.open, `${state.rest}0 ${group.key}`] }) }, group.name || `(no ${group.kind})`),
    make("span", { class: "soft" }, ` ${counted(group.items, "item")}`)))));
  if (pressed) panel.querySelector(".items button").focus();
}

/** Return a button for each opened group, which folds it. */
function chips(state) {
  const made = state.open.map((each) => {
    const name = each.split(" ").slice(1).join(" ").replace(/^[a-z]+:/, "") || "(none)";
    return make("button", { type: "button", class: "chip", "aria-label": `Fold ${name}`,
      ...does({ open: state.open.filter((one) => one !== each) }) }, `${name} ×`);
  });
  return make("div", { class: "chips", "aria-label": "Opened", hidden: !made.length }, ...made);
}

/** Return the records of the table that was opened last, as rows with all their columns. */
async function openedRecords(state) {
  const last = state.open.findLast((each) => / table:./s.test(each)); // items without a table have no records
  if (!last) return [];
  const name = last.slice(last.indexOf(":") + 1);
  const direction = last[0] === MARKS.upstream ? "upstream" : "downstream";
  const { item, depth, as_of } = question(state, direction, 1);
  const found = await ask("page/records", { item, direction, tables: [name], depth, as_of }).catch(() => null);
  const records = found?.tables[0]?.records ?? []; // readers see none
  if (!records.length) return [];
  const more = found.more ? `, the first ${number(records.length)} of them` : "";
  const charts = make("a", { class: "charts", href: chartsOf(state, name, direction) }, `Charts of all ${number(records.length + found.more)} records`);
  return [recordTable(`Values of ${name}: ${counted(records.length + found.more, "record")}${more}. Press a heading to sort.`, records), charts];
}

/** Return the record of the asked item, as a table with one row; nothing if the reader may not see it. */
async function askedRecord(state) {
  const asked = { item: state.item, ...(state.as_of ? { as_of: asOf(state) } : {}) };
  const values = (await ask("record", asked).catch(() => null))?.values ?? {};
  return Object.keys(values).length ? [recordTable(`Values of ${state.item}`, [{ item: state.item, values }])] : [];
}

async function answerRows(state, direction) {
  const { item, depth, as_of } = question(state, direction, 1);
  const upstream = direction === "upstream";
  const title = upstream ? "Derives from" : "Reached";
  try {
    const route = upstream ? "lineage" : "impact";
    const found = await ask(route, { item, depth, as_of, limit: ROWS });
    const columns = [
      { heading: "item", field: "item", kind: "item" }, { heading: "table", field: "table" },
      { heading: "hops", field: "depth", kind: "number" },
    ];
    const more = found.truncated === "limit" ? `${title}: the first ${number(ROWS)} items, nearest first` : found.items.length ? `${title}: ${counted(found.items.length, "item")}` : title;
    const all = make("button", { type: "button", class: "beside", onclick: () =>
      download(route, { item, depth, as_of }, `${route}.csv`).catch((error) => all.replaceWith(problem(error))) }, "CSV of all");
    return make("section", {}, columnRoles(found), table(more, columns, found.items, [all]));
  } catch (error) {
    return problem(error);
  }
}

/** Return what each table gives to the column that was asked about. */
function columnRoles(found) {
  if (!found.column) return null;
  const rows = found.columns.map((each) => ({
    ...each, values: each.values.join(", "),
    influence: each.influence.map(({ column, roles }) => `${column} (${roles.join(", ")})`).join(", "),
  }));
  return table(`The column ${found.column}`, [
    { heading: "table", field: "table" }, { heading: "role", field: "role" },
    { heading: "values from", field: "values" }, { heading: "decided by", field: "influence" },
  ], rows);
}

