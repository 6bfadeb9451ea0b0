// A view of texts: one row for each value, with a bar; rows are selected by click, drag or key.

import { exact, short } from "./axes.js";

const FEW = 12; // longer lists have a search field

export function list(card, view, brushed) {
  const { labels, others } = view.axes[0];
  const chosen = new Set();
  let current = 0, from = null, before = null;
  if (labels.length > FEW) {
    card.append("input").attr("type", "search").attr("class", "find").attr("placeholder", `Search ${labels.length} values`)
      .attr("aria-label", `Search in ${view.name}`).on("input", (event) => {
        const text = event.target.value.toLowerCase();
        row.attr("hidden", (label) => (label.toLowerCase().includes(text) ? null : true));
      });
  }
  const ul = card.append("ul").attr("class", "list").attr("tabindex", 0)
    .attr("role", "listbox").attr("aria-multiselectable", "true");
  const row = ul.selectAll("li").data(labels).join("li").attr("role", "option").attr("aria-selected", "false")
    .attr("id", (_, bar) => `${card.attr("id")}-${bar}`).attr("title", (label) => label);
  row.append("span").attr("class", "value").text((label) => label);
  const bar = row.append("span").attr("class", "bar");
  bar.append("span").attr("class", "back");
  bar.append("span").attr("class", "front");
  row.append("span").attr("class", "number");

  function tell() {
    row.attr("aria-selected", (_, bar) => String(chosen.has(bar)));
    ul.classed("brushed", chosen.size > 0);
    const bars = [...chosen].sort(d3.ascending);
    const names = bars.slice(0, 3).map((bar) => labels[bar]).join(", ");
    brushed(bars.length ? runs(bars) : null, bars.length > 3 ? `${names} and ${bars.length - 3} more` : names);
  }

  function move(to) {
    const seen = d3.range(labels.length).filter((bar) => !row.nodes()[bar].hidden);
    if (!seen.length) return;
    current = to < current ? seen.findLast((bar) => bar <= to) ?? seen[0] : seen.find((bar) => bar >= to) ?? seen.at(-1);
    row.classed("current", (_, bar) => bar === current);
    ul.attr("aria-activedescendant", `${card.attr("id")}-${current}`);
    row.nodes()[current]?.scrollIntoView({ block: "nearest" });
  }

  function choose(first, last, keep) {
    chosen.clear();
    keep.forEach((bar) => chosen.add(bar));
    d3.range(Math.min(first, last), Math.max(first, last) + 1).forEach((bar) => chosen.add(bar));
    tell();
  }

  const under = (event) => row.nodes().indexOf(document.elementFromPoint(event.clientX, event.clientY)?.closest("li"));
  ul.on("pointerdown", (event) => {
    const bar = under(event);
    if (bar < 0 || event.button) return;
    ul.node().focus({ preventScroll: true });
    ul.node().setPointerCapture(event.pointerId);
    const add = event.ctrlKey || event.metaKey || event.shiftKey;
    before = add ? new Set(chosen) : new Set();
    const only = chosen.size === 1 && chosen.has(bar);
    if (only || (add && chosen.has(bar))) { chosen.delete(bar); tell(); } else { from = bar; choose(bar, bar, before); }
    move(bar);
  }).on("pointermove", (event) => {
    const bar = from === null ? -1 : under(event);
    if (bar >= 0 && bar !== current) { move(bar); choose(from, bar, before); }
  }).on("pointerup pointercancel", () => { from = null; });

  ul.on("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -labels.length, End: labels.length }[event.key];
    if (step) {
      if (event.shiftKey) chosen.add(current);
      move(current + step);
      if (event.shiftKey) { chosen.add(current); tell(); }
    } else if (event.key === " " || event.key === "Enter") {
      if (!chosen.delete(current)) chosen.add(current);
      tell();
    } else if (event.key === "Escape") choices(null);
    else return;
    event.preventDefault();
  });

  function choices(ranges) {
    chosen.clear();
    (ranges ?? []).forEach(([first, end]) => d3.range(first, end).forEach((bar) => chosen.add(bar)));
    tell();
  }

  const backs = row.select(".back").nodes(), fronts = row.select(".front").nodes();
  const numbers = row.select(".number").nodes();
  function draw({ values, all, sameScale }) {
    // The bar of all other texts may be so long that the rest would vanish beside it, so it is cut off.
    const longest = (lengths) => d3.max(lengths, (value, bar) => (bar === others ? 0 : Math.abs(value))) || 1;
    const most = longest(values), grey = longest(all);
    const top = sameScale ? Math.max(most, grey) : most;
    const scaled = (value, by) => `scaleX(${Math.min(1, Math.abs(value ?? 0) / by)})`;
    values.forEach((value, bar) => {
      fronts[bar].style.transform = scaled(value, top);
      backs[bar].style.transform = scaled(all[bar], sameScale ? top : grey);
      row.nodes()[bar].classList.toggle("cut", Math.abs(all[bar] ?? 0) > (sameScale ? top : grey));
      numbers[bar].textContent = value === null ? "–" : Math.abs(value) < 1e6 && Number.isInteger(value) ? exact(value) : short(value);
    });
  }

  return { draw, choose: choices, label: (text) => ul.attr("aria-label", text) };
}

function runs(bars) {
  const found = [];
  bars.forEach((bar) => {
    const last = found.at(-1);
    if (last && last[1] === bar) last[1] = bar + 1;
    else found.push([bar, bar + 1]);
  });
  return found;
}
