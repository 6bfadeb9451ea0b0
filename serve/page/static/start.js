// The view without an item: the tables of the warehouse, and the items of a chosen table.

import { ask } from "./ask.js";
import { counted, element, make, number, say } from "./elements.js";
import { about, does, go, link } from "./state.js";
import { table } from "./tables.js";

const ROWS = 200;

/** Show the tables, and the first items of the table of the state. */
export async function start(state, view, still) {
  element("title").textContent = "Where does a value come from, and what did it reach?";
  say("Search an item by its name, such as a line of a report, or choose its table.");
  element("search-text").focus();
  const tables = await ask("page/tables");
  if (!still()) return;
  const chosen = state.table ?? tables[0];
  view.replaceChildren(choice(tables, chosen));
  const found = await ask("find", { text: "", ...(chosen ? { table: chosen } : {}), limit: ROWS });
  if (!still()) return;
  const rows = found.items.map(({ item }) => ({ item: make("a", { href: link(about(item)), "data-item": item, onpointerdown: does(about(item)).onpointerdown }, item) }));
  const first = found.matches > rows.length ? `, the first ${number(rows.length)} of them` : "";
  view.append(table(`${chosen ?? "Items"}: ${counted(found.matches, "item")}${first}`, [{ heading: "item", field: "item" }], rows));
}

function choice(tables, chosen) {
  return make("div", { class: "choice", hidden: !tables.length, role: "group", "aria-label": "Tables" },
    make("span", { class: "soft", "aria-hidden": "true" }, "Tables"),
    ...tables.map((name) => make("button", {
      type: "button", "aria-pressed": String(name === chosen), "data-table": name, onclick: () => go({ table: name }),
    }, name)));
}
