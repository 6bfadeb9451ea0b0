// The page: opens its link, makes a chart for each view, and asks for all bars after each brush.

import { exact } from "./axes.js";
import { bars } from "./bars.js";
import { grid } from "./grid.js";
import { list } from "./list.js";
import { showRecords } from "./table.js";

const element = (id) => document.getElementById(id);
const brushes = {}, texts = {}, charts = {}, all = {};
let page, key, measure = null, shown = null, wanted = null, asking = false, began = 0, waiting = 0, saved = "";

async function ask(route, body) {
  let reply;
  try {
    reply = await fetch(`/v1/${route}`, {
      method: "POST", body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", ...(key && { Authorization: `Bearer ${key}` }) },
    });
  } catch {
    throw new Error("The program that serves this page has ended.\nRun provhouse crossfilter again.");
  }
  const found = await reply.json();
  if (!reply.ok) throw new Error([found.title, found.detail, found.remedy].filter(Boolean).join(".\n"));
  return found;
}

function problem(text) {
  element("problem").textContent = text;
  element("problem").hidden = !text;
}

// The link works once; its tab keeps the key, so that it may be loaded again.
async function open() {
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  key = sessionStorage.getItem("key");
  if (token) key = (await ask("open", { token }).catch((error) => { if (!key) throw error; return { key }; })).key;
  if (!key) throw new Error("This page needs the link that the command printed.");
  sessionStorage.setItem("key", key);
}

function start() {
  document.title = `${page.file} – provhouse`;
  element("file").textContent = page.file;
  element("total").textContent = `${exact(page.rows)} records, ${page.views.length} views`;
  const sizes = Object.entries(page.sizes).filter(([, size]) => size);
  element("sizes").textContent = `In memory: ${sizes.map(([name, size]) => `${name} ${megabytes(size)}`).join(", ")}.`;
  page.views.forEach(addChart);
  const options = page.measures.flatMap((column) => [["sum", column], ["average", column]]);
  element("measure-label").hidden = !options.length;
  d3.select("#measure").selectAll("option").data([null, ...options]).join("option")
    .text((option) => (option ? `${option[0]} of ${option[1]}` : "number of records"));
}

const megabytes = (size) => (size < 1e5 ? "under 0.1 MB" : `${(size / 1e6).toFixed(size < 1e7 ? 1 : 0)} MB`);

function addChart(view, at) {
  const card = d3.select("#views").append("article").attr("class", "card").attr("id", `view-${at}`);
  const head = card.append("div").attr("class", "head");
  head.append("h2").attr("title", view.name).text(view.axes.map((axis) => axis.column).join(" × "));
  head.append("span").attr("class", "brush");
  head.append("span").attr("class", "from");
  head.append("button").attr("class", "clear").attr("aria-label", `Clear the brush of ${view.name}`)
    .attr("hidden", true).text("clear").on("click", () => charts[view.name].clear());
  const make = view.axes.length > 1 ? grid : view.axes[0].edges ? bars : list;
  charts[view.name] = make(card, view, (ranges, text) => brushed(view, card, ranges, text));
  charts[view.name].label(`${view.name}: no brush`);
}

function brushed(view, card, ranges, text) {
  if (ranges) brushes[view.name] = ranges;
  else delete brushes[view.name];
  texts[view.name] = text;
  card.classed("brushed", Boolean(ranges));
  card.select(".brush").text(text).attr("title", text);
  card.select(".clear").attr("hidden", ranges ? null : true);
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
  try {
    const now = shown, found = await ask("first", { brushes });
    if (now !== shown) return; // a later brush shows its own
    showRecords(page.columns, found);
    element("records-title").textContent = `Selected records (${shown.selected > 50 ? "the first 50 of " : ""}${exact(shown.selected)})`;
  } catch (error) {
    problem(error.message);
  }
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
    const done = await ask("save", { brushes, name: element("saving-name").value });
    result.textContent = `${exact(done.records)} records are the lineage of ${done.item}.\n` + (done.ingested
      ? `It is in the warehouse now: ${done.next}`
      : `The trace is in ${done.file}. Ingest it with: ${done.next}`);
    saved = element("saving-name").value;
  } catch (error) {
    result.className = "wrong";
    result.textContent = error.message;
  }
  element("saving-go").disabled = false;
}

function listen() {
  element("clear").addEventListener("click", () => Object.keys(brushes).forEach((name) => charts[name].clear()));
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
    element("saving").showModal();
  });
  element("saving-close").addEventListener("click", () => element("saving").close());
  element("saving").querySelector("form").addEventListener("submit", save);
}

try {
  await open();
  page = await ask("describe", {});
  start();
  listen();
  update(null);
} catch (error) {
  element("file").textContent = "provhouse crossfilter";
  problem(error.message);
}
