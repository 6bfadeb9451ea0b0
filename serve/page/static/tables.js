// Tables of rows. Names of items are links that select the item, so that they work as addresses.

import { cut, make, number, value } from "./elements.js";
import { go, link, note, state } from "./state.js";

/** Return a link that selects an item in the side panel. */
export function itemLink(item) {
  return make("a", { href: link({ sel: item }), "data-item": item, onclick: (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go({ sel: item });
  } }, cut(item));
}

/**
 * Return a table that sorts its rows when a heading is pressed, or a sentence if there are no rows.
 *
 * The state has the order of each table by the name in its caption, before any number or comma.
 *
 * `columns` have a heading, the name of a field, and perhaps a kind: "item", "number" or "short",
 * which is not wrapped. `more` are elements beside the caption.
 */
export function table(caption, columns, rows, more = []) {
  if (!rows.length) return make("p", { class: "soft" }, `${caption}: none.`);
  const body = make("tbody");
  const name = caption.split(/[:,]/)[0];
  let [by, up] = sorted(name, columns);
  const fill = () => {
    const order = by === null ? rows : [...rows].sort((a, b) => compare(a[by], b[by]) * (up ? 1 : -1));
    body.replaceChildren(...order.map((row) => make("tr", {}, ...columns.map((column) => cell(column, row)))));
  };
  const heads = columns.map(({ heading, field, kind }) => {
    const order = by === field ? (up ? "ascending" : "descending") : null;
    const head = make("th", { scope: "col", class: kind === "number" ? "number" : null, "aria-sort": order });
    head.append(make("button", { type: "button", onclick: () => {
      [by, up] = [field, by === field ? !up : kind !== "number"]; // the largest numbers come first
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      fill();
      note({ sort: [...state().sort.filter((each) => !isOf(each, name)), `${up ? "+" : "-"}${field} of ${name}`] });
    } }, heading));
    return head;
  });
  fill();
  return make("div", { class: "scrolled", tabindex: 0, role: "region", "aria-label": caption },
    make("table", {}, make("caption", {}, make("span", { class: "sticky-caption" }, caption, ...more)), make("thead", {}, make("tr", {}, heads)), body));
}

const isOf = (order, name) => order.endsWith(` of ${name}`);

/** Return the field by which the state sorts a table, and whether upwards; null if by none of its columns. */
function sorted(name, columns) {
  const order = state().sort.find((each) => isOf(each, name)) ?? "";
  const field = order.slice(1, -` of ${name}`.length);
  return columns.some((column) => column.field === field) ? [field, order[0] === "+"] : [null, true];
}

/** Return a table of records, with a column for each of their values. */
export function recordTable(caption, records) {
  const fields = Object.keys(records[0]?.values ?? {});
  const shown = records.map((each) => ({ ...texts(each.values), "the item": each.item }));
  const kind = (field) => (shown.every((row) => row[field] === null || !Number.isNaN(numeric(row[field]))) ? "number" : "short");
  return table(caption, [{ heading: "item", field: "the item", kind: "item" },
    ...fields.map((field) => ({ heading: field, field, kind: kind(field) }))], shown);
}

const texts = (values) => Object.fromEntries(Object.entries(values).map(([name, each]) =>
  [name, typeof each === "object" && each ? JSON.stringify(each) : each === null ? null : String(each)]));

function cell({ field, kind }, row) {
  const found = row[field];
  if (kind === "item" && found) return make("td", {}, itemLink(found));
  if (kind === "number") return make("td", { class: "number" }, typeof found === "number" ? value(found) : found ?? "");
  if (kind === "short") return make("td", { class: "short" }, found ?? "");
  if (found instanceof Node) return make("td", {}, found);
  return make("td", {}, found === null || found === undefined ? "" : String(found));
}

/** Return the number that a value or a text is, such as a decimal; NaN for other texts. */
export const numeric = (found) => (typeof found === "string" && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(found) ? Number(found)
  : typeof found === "number" ? found : NaN);

function compare(a, b) {
  const [one, other] = [numeric(a), numeric(b)];
  if (!Number.isNaN(one) && !Number.isNaN(other)) return one - other;
  if (Number.isNaN(one) !== Number.isNaN(other)) return Number.isNaN(one) ? -1 : 1;
  return String(a ?? "").localeCompare(String(b ?? ""));
}

/** Return a list of names and values. Values may be elements; empty ones are left out. */
export function facts(pairs) {
  const shown = pairs.filter(([, found]) => found !== null && found !== undefined && found !== "");
  return make("dl", {}, ...shown.flatMap(([name, found]) => [make("dt", {}, name), make("dd", {}, found)]));
}
