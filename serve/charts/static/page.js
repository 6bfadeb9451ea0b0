// The page: opens its link, makes a chart for each view, and asks for all bars after each brush.

import { exact } from "./axes.js";
import { bars } from "./bars.js";
import { grid } from "./grid.js";
import { list } from "./list.js";
import { chooseTable, lineageOf, recordsAsked, served, serverKey, showTabs, useTheme, withoutItems } from "./served.js";
import { isForeign, keep, named, state } from "./state.js";
import { showRecords } from "./table.js";
import { addFoot, addHead, span, within } from "./views.js";

const element = (id) => document.getElementById(id);
const brushes = {}, texts = {}, charts = {}, all = {};
const records = JSON.stringify(named());
let page, key, base = "/v1", measure = null, order = null, shown = null, wanted = null, asking = false, began = 0, waiting = 0, saved = "";
let changing = Promise.resolve();

async function ask(route, body) {
  return (await replied(route, body)).json();
}

async function replied(route, body) {
  let reply;
  try {
    reply = await fetch(`${base}/${route}`, {
      method: "POST", body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", ...(key && { Authorization: `Bearer ${key}` }) },
    });
  } catch {
    throw new Error(served ? "The server does not answer.\nStart it with provhouse up, and open the link that it prints."
      : "The program that serves this page has ended.\nRun provhouse crossfilter again.");
  }
  if (reply.ok) return reply;
  const found = await reply.json();
  throw new Error([found.title, found.detail, found.remedy].filter(Boolean).join(".\n"));
}

function problem(text) {
  element("problem").textContent = text;
  element("problem").hidden = !text;
}

// The link works once; its tab keeps the key, so that it may be loaded again.
async function open() {
  const token = location.hash.includes("=") ? "" : location.hash.slice(1); // a state has names and values
  if (token) history.replaceState(null, "", location.pathname);
  key = sessionStorage.getItem("key");
  if (token) key = (await ask("open", { token }).catch((error) => { if (!key) throw error; return { key }; })).key;
  if (!key) throw new Error("This page needs the link that the command printed.");
  sessionStorage.setItem("key", key);
}

// A tab of a server: the charts of the table in the address, or else a choice of tables.
async function openServed() {
  await showTabs();
  key = serverKey();
  if (!key) throw new Error("You are not logged in.\nOpen the page of the server first: press provhouse above.");
  if (!named().table) return chooseTable(ask);
  page = await ask("charts/open", recordsAsked());
  base = `/v1/charts/${page.number}`;
}

function start() {
  document.title = `${page.title} – provhouse`;
  element("file").textContent = page.title;
  const sizes = Object.entries(page.sizes).filter(([, size]) => size);
  element("sizes").textContent = `In memory: ${sizes.map(([name, size]) => `${name} ${megabytes(size)}`).join(", ")}.`;
  if (!served) element("lineage").hidden = !page.warehouse;
  const options = page.measures.flatMap((column) => [["sum", column], ["average", column]]);
  element("measure-label").hidden = !options.length;
  d3.select("#measure").selectAll("option").data([null, ...options]).join("option")
    .text((option) => (option ? `${option[0]} of ${option[1]}` : "number of records"));
}

// Replace all charts by those of the page's views.
function addCharts() {
  d3.select("#views").selectAll(".card").remove();
  for (const of of [charts, all]) Object.keys(of).forEach((name) => delete of[name]);
  page.views.forEach(addChart);
  d3.select("#more").selectAll("option").data(["", ...page.more]).join("option")
    .attr("value", (name) => name).text((name) => name || "add a view");
  element("more").hidden = !page.more.length;
  const lack = page.missing ? `; ${exact(page.missing)} items have no record` : "";
  element("total").textContent = `${exact(page.rows)} records, ${page.views.length} views${lack}`;
}

const shownViews = () => page.views.map(({ name, how }) => [name, how]);

// Show other views, those that `choose` returns. One change at a time: each begins with the brushes that the last one left.
function showViews(choose, chosen) {
  changing = changing.then(() => replaceViews(choose, chosen));
  return changing;
}

// Brushes of views that do not change stay.
async function replaceViews(choose, chosen = {}) {
  try {
    const wanted = choose();
    const before = new Map(shownViews()), kept = { ...brushes };
    if (JSON.stringify(wanted) !== JSON.stringify(shownViews())) page = await ask("views", { views: wanted });
    problem("");
    Object.keys(brushes).forEach((name) => delete brushes[name]);
    addCharts();
    const none = await ask("brush", { brushes: {}, measure });
    for (const name in none.views) all[name] = none.views[name].values;
    for (const [name, how] of shownViews()) {
      const view = page.views.find((one) => one.name === name);
      const ranges = chosen[name] === true ? within(view) : chosen[name] ?? (before.get(name) === how ? kept[name] : null);
      if (ranges) charts[name].choose(ranges);
    }
    update(null);
  } catch (error) {
    problem(error.message);
    addCharts();
    Object.entries(brushes).forEach(([name, ranges]) => charts[name].choose(ranges));
    update(null);
  }
}

const changed = (name, how) => shownViews().map((one) => (one[0] === name ? [name, how] : one));

const megabytes = (size) => (size < 1e5 ? "under 0.1 MB" : `${(size / 1e6).toFixed(size < 1e7 ? 1 : 0)} MB`);

function addChart(view, at) {
  const card = d3.select("#views").append("article").attr("class", "card").attr("id", `view-${at}`);
  addHead(card, view, {
    clear: () => charts[view.name].choose(null),
    zoom: () => {
      const how = span(view, brushes[view.name]);
      showViews(() => changed(view.name, how), { [view.name]: true });
    },
    remove: () => showViews(() => shownViews().filter(([name]) => name !== view.name)),
  });
  const make = view.axes.length > 1 ? grid : view.axes[0].edges ? bars : list;
  charts[view.name] = make(card, view, (ranges, text) => brushed(view, card, ranges, text));
  charts[view.name].label(`${view.name}: no brush`);
  addFoot(card, view, (how) => showViews(() => changed(view.name, how)));
}

function brushed(view, card, ranges, text) {
  if (ranges) brushes[view.name] = ranges;
  else delete brushes[view.name];
  texts[view.name] = text;
  card.classed("brushed", Boolean(ranges));
  card.select(".brush").text(text).attr("title", text);
  card.select(".clear").attr("hidden", ranges ? null : true);
  card.select(".zoom").attr("hidden", span(view, ranges) ? null : true);
  charts[view.name].label(`${view.name}: ${text || "no brush"}`);
  update(view.name);
}

// One question at a time: while one is being answered, only the latest brush is kept.
function update(active) {
  wanted = { active };
  if (!waiting) waiting = performance.now();
  if (!asking) askNow();
}

async function askNow() {
  asking = true;
  while (wanted) {
    const { active } = wanted;
    [wanted, began, waiting] = [null, waiting, 0];
    try {
      draw(await ask("brush", { brushes, active, measure }), active);
    } catch (error) {
      problem(error.message);
    }
  }
  asking = false;
}

function draw(answer, active) {
  shown = answer;
  if (!Object.keys(brushes).length) for (const name in answer.views) all[name] = answer.views[name].values;
  const sameScale = element("scale").checked;
  for (const [at, { name }] of page.views.entries()) {
    const { values, structure } = answer.views[name];
    charts[name].draw({ values, all: all[name], sameScale });
    const from = structure === "totals" ? "" : structure;
    d3.select(`#view-${at} .from`).text(from).attr("title", from);
  }
  const share = page.rows ? answer.selected / page.rows : 0;
  element("selected").textContent = exact(answer.selected);
  element("share").textContent = `of ${exact(page.rows)} selected (${d3.format(share && share < 0.001 ? ".2~%" : ".1~%")(share)})`;
  element("meter").style.width = `${100 * share}%`;
  element("clear").disabled = !Object.keys(brushes).length;
  problem(answer.changed ? "The file has changed since it was opened. This page still shows the old records.\nRun provhouse crossfilter again to see the new records and to save a selection." : "");
  finish(answer, active, began);
}

// The browser has drawn what the frame callback of the next frame sees.
function finish(answer, active, from) {
  requestAnimationFrame(() => setTimeout(() => {
    const end = performance.now();
    performance.measure("brush to drawn", { start: from, end, detail: { active, milliseconds: answer.milliseconds } });
    const drawn = active ? `, drawn ${(end - from).toFixed(0)} ms after the brush` : "";
    element("timing").textContent = `computed in ${answer.milliseconds.toFixed(1)} ms${drawn}`;
  }));
  clearTimeout(finish.later);
  finish.later = setTimeout(settle, 120, active);
}

// After the last movement: the records, and a sentence for screen readers.
async function settle(active) {
  const said = active ? `${active}: ${texts[active] || "no brush"}. ` : "";
  element("said").textContent = `${said}${exact(shown.selected)} records selected.`;
  keep({ views: shownViews(), brushes, measure: element("measure").selectedIndex > 0 ? measure.join(" ") : "", scale: element("scale").checked, order });
  try {
    const now = shown, found = await ask("first", { brushes, order });
    if (now !== shown) return; // a later brush shows its own
    showRecords(page.columns, found, order, (next) => {
      order = next;
      settle(null);
    }, served && lineageOf);
    element("suppose").hidden = !served || !shown.selected || shown.selected > 50;
    element("suppose").href = served ? withoutItems(found[0]) : "#";
    if (element("query").open) await showSql();
    element("records-title").textContent = `Selected records (${shown.selected > 50 ? "the first 50 of " : ""}${exact(shown.selected)})`;
  } catch (error) {
    problem(error.message);
  }
}

async function showSql() {
  element("sql").textContent = (await ask("sql", { brushes })).sql;
}

async function download(route, body, name) {
  const content = await (await replied(route, body)).blob();
  const file = d3.create("a").attr("href", URL.createObjectURL(content)).attr("download", name).node();
  file.click();
  URL.revokeObjectURL(file.href);
}

// A server ingests nothing: the trace of a selection is downloaded.
async function saveTrace(name) {
  await download("trace", { brushes, name }, `${name}.parquet`);
  return { records: shown.selected, item: `selection/${name}`, file: `${name}.parquet`, next: `provhouse ingest ${name}.parquet`, link: lineageOf(`selection/${name}`) };
}

// Show what the address says; views first, since brushes belong to them.
async function restore() {
  const wanted = state();
  order = wanted.order;
  element("scale").checked = wanted.scale;
  const [, ...options] = element("measure").options;
  const option = options.find((one) => [...d3.select(one).datum()].reverse().join(" ") === wanted.measure);
  element("measure").selectedIndex = option ? option.index : 0;
  measure = option ? [...d3.select(option).datum()].reverse() : null;
  await showViews(() => {
    Object.keys(brushes).forEach((name) => delete brushes[name]);
    return wanted.views ?? shownViews();
  }, wanted.brushes);
}

async function measured() {
  const option = d3.select(element("measure").selectedOptions[0]).datum();
  measure = option && [option[1], option[0]];
  const none = await ask("brush", { brushes: {}, measure });
  for (const name in none.views) all[name] = none.views[name].values;
  update(null);
}

async function save(event) {
  event.preventDefault();
  const result = element("saving-result");
  result.className = "";
  result.textContent = "Saving…";
  element("saving-go").disabled = true;
  try {
    const name = element("saving-name").value;
    const done = served ? await saveTrace(name) : await ask("save", { brushes, name });
    result.textContent = `${exact(done.records)} records are the lineage of ${done.item}.\n` + (done.ingested
      ? `It is in the warehouse now: ${done.next}`
      : `The trace is in ${done.file}. Ingest it with: ${done.next}`);
    element("saved-lineage").hidden = !done.link;
    element("saved-lineage").textContent = done.ingested ? "Open its lineage" : "Open its lineage, once it is ingested";
    element("saved-lineage").href = done.link || "#";
    saved = element("saving-name").value;
  } catch (error) {
    result.className = "wrong";
    result.textContent = error.message;
  }
  element("saving-go").disabled = false;
}

function listen() {
  element("clear").addEventListener("click", () => Object.keys(brushes).forEach((name) => charts[name].choose(null)));
  element("more").addEventListener("change", ({ target: { value } }) => showViews(() => [...shownViews(), [value, ""]]));
  for (const form of ["csv", "parquet"]) element(form).addEventListener("click", () =>
    download("download", { brushes, order, form }, `${page.table}.${form}`).catch((error) => problem(error.message)));
  element("query").addEventListener("toggle", () => element("query").open && showSql().catch((error) => problem(error.message)));
  element("lineage")?.addEventListener("click", async () => {
    const { link } = await ask("lineage", {}).catch(() => ({ link: "" }));
    if (link) location.assign(link);
    else problem("The server of the warehouse is not running.\nStart it with provhouse up.");
  });
  element("measure").addEventListener("change", () => measured().catch((error) => problem(error.message)));
  element("scale").addEventListener("change", () => {
    element("grey").textContent = element("scale").checked ? "all records" : "all records, drawn to the same height";
    update(null);
  });
  element("save").addEventListener("click", () => {
    const parts = Object.keys(brushes).map((name) => `${name}: ${texts[name]}`);
    element("saving-what").textContent = `${exact(shown.selected)} records. ${parts.join("; ") || "No brush"}.`;
    const name = element("saving-name");
    if (name.value === saved) name.value = saved.replace(/\d+$/, (number) => Number(number) + 1);
    element("saving-result").textContent = "";
    element("saved-lineage").hidden = true;
    element("saving").showModal();
  });
  element("saving-close").addEventListener("click", () => element("saving").close());
  element("saving").querySelector("form").addEventListener("submit", save);
}

useTheme();
window.addEventListener("hashchange", () => {
  if (JSON.stringify(named()) !== records) location.reload();
  else if (page && isForeign()) restore();
});
try {
  if (served) await openServed();
  else {
    await open();
    page = await ask("describe", {});
  }
  if (page) {
    start();
    listen();
    await restore();
  }
} catch (error) {
  element("file").textContent = served ? "Charts" : "provhouse crossfilter";
  problem(error.message);
}
