// Charts as a tab of the warehouse's page: which records to show, the other tabs, and its colours.

import { named } from "./state.js";

/** Whether this page is a tab of a server, and not the page of `provhouse crossfilter`. */
export const served = location.pathname === "/charts/";
const KEY = "provhouse key";
const THEME = "provhouse theme";

/** The key of the tab in which a person has logged in. */
export const serverKey = () => localStorage.getItem(KEY);

/** Use the colours of the warehouse's page, or those of the system. */
export function useTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const show = () => (document.documentElement.dataset.theme = localStorage.getItem(THEME) ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", show);
  show();
}

/** Show links to the other tabs, which ask about the same item. */
export async function showTabs() {
  const { TABS } = await import("/static/tabs.js");
  const { item = "", as_of = "" } = named();
  d3.select("#tabs").html("").append("a").attr("class", "brand").attr("href", "/#").text("provhouse");
  d3.select("#tabs").selectAll(".tab").data(Object.entries(TABS)).join("a").attr("class", "tab").text(([, text]) => text)
    .attr("href", ([view]) => (view === "charts" ? `/charts/#${new URLSearchParams(item && { item })}` : `/#${new URLSearchParams({ view, ...(item && { item }), ...(as_of && { as_of }) })}`))
    .attr("aria-current", ([view]) => (view === "charts" ? "page" : null));
}

/** Return the question for the records in the address, as the server has it. */
export function recordsAsked() {
  const { table, item, dir, depth, as_of } = named();
  return {
    table, item: item ?? "", direction: dir === "downstream" ? dir : "upstream", depth: depth ? Number(depth) : null,
    as_of: as_of ? (/^\d+$/.test(as_of) ? Number(as_of) : as_of) : null,
  };
}

/** Let a person choose a table: of those in the answer about the item in the address, or of all. */
export async function chooseTable(ask) {
  const { table, ...question } = recordsAsked();
  const found = question.item
    ? (await ask("page/picture", question)).boxes.filter(({ kind }) => kind === "table").map(({ name }) => name)
    : await ask("page/tables", {});
  d3.select("#file").text("Charts of which table?");
  const choices = d3.select("#views").append("div").attr("class", "choices");
  if (!found.length) choices.text("There is none.");
  choices.selectAll("a").data(found.filter(Boolean)).join("a").text((name) => name)
    .attr("href", (name) => `#${new URLSearchParams({ ...named(), table: name })}`);
  for (const part of [".selected", ".controls", ".legend", "section", "footer"]) d3.selectAll(part).attr("hidden", true);
}

/** Return the address of an item's lineage on the page. */
export const lineageOf = (item) => `/#${new URLSearchParams({ item })}`;

/** Return the address that asks what would change if some items did not exist. */
export const withoutItems = (items) => `/#${new URLSearchParams([["view", "what-if"], ...items.map((item) => ["strike", item])])}`;
