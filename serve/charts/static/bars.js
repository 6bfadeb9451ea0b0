// A view of numbers or dates: bars side by side, and a brush along them.

import { along, described, drawTicks, moved, short } from "./axes.js";

const HEIGHT = 190, LEFT = 46, RIGHT = 12, TOP = 8, BOTTOM = 22;

export function bars(card, view, brushed) {
  const axis = view.axes[0];
  const known = axis.labels.length - (axis.missing ? 1 : 0);
  const tails = [...(axis.below ? [0] : []), ...(axis.above ? [known - 1] : [])];
  const crisp = axis.labels.length > 60 ? "crispEdges" : null; // thin neighbours would let the ground through
  const svg = card.append("svg").attr("class", "chart").attr("height", HEIGHT).attr("tabindex", 0).attr("role", "group");
  const rules = svg.append("g");
  const plot = svg.append("g").attr("transform", `translate(${LEFT},${TOP})`);
  const back = plot.append("path").attr("class", "all").attr("shape-rendering", crisp);
  const front = plot.append("path").attr("class", "some").attr("shape-rendering", crisp);
  const rest = plot.append("path").attr("class", "some rest").attr("shape-rendering", crisp);
  const below = svg.append("g").attr("transform", `translate(${LEFT},${HEIGHT - BOTTOM})`);
  const layer = plot.append("g");
  const height = HEIGHT - TOP - BOTTOM;
  let width, places, tool, brush = null, shown = null, quiet = false;

  function size() {
    width = Math.max(80, card.node().clientWidth - 28 - LEFT - RIGHT);
    places = along(axis, width);
    svg.attr("viewBox", `0 0 ${width + LEFT + RIGHT} ${HEIGHT}`);
    drawTicks(below, places.ticks(), width);
    tool = d3.brushX().extent([[0, 0], [width, height]]).on("start brush end", dragged);
    layer.call(tool);
    place();
    if (shown) draw(shown);
  }

  function dragged(event) {
    if (quiet || !event.sourceEvent) return;
    if (event.type === "start") svg.node().focus({ preventScroll: true });
    const next = event.selection ? places.within(...event.selection) : event.type === "end" ? null : brush;
    if (event.type === "end") set(next);
    else if (String(next) !== String(brush)) { brush = next; tell(); }
  }

  function place() {
    quiet = true;
    layer.call(tool.move, brush ? [places.start(brush[0]), places.stop(brush[1] - 1)] : null);
    quiet = false;
  }

  const tell = () => brushed(brush ? [brush] : null, brush ? described(axis, ...brush) : "");
  function set(next) {
    const same = String(next) === String(brush);
    brush = next;
    place();
    if (!same) tell();
  }

  svg.on("keydown", (event) => {
    const next = moved(event.key, event.shiftKey, brush, places.number);
    if (next === undefined) return;
    event.preventDefault();
    set(next);
  });

  // One path for all bars: it is drawn faster than thousands of rectangles.
  function outline(values, y) {
    const parts = [], zero = y(0), gap = width / places.number > 5 ? 1 : 0;
    values.forEach((value, bar) => {
      if (!value) return;
      const x = places.start(bar), wide = places.stop(bar) - x - gap;
      let top = y(value);
      if (top < 0) { // the bar of a tail may be far longer than all others: it is cut off, with a break
        parts.push(`M${x.toFixed(2)} 0h${wide.toFixed(2)}v5h${-wide.toFixed(2)}z`);
        top = 9;
      }
      parts.push(`M${x.toFixed(2)} ${zero.toFixed(1)}h${wide.toFixed(2)}V${top.toFixed(1)}h${-wide.toFixed(2)}z`);
    });
    return parts.join("");
  }

  function draw(next) {
    shown = next;
    const { values, all, sameScale } = next;
    const inner = (of) => of.filter((_, bar) => !tails.includes(bar));
    const [low, high] = d3.extent(sameScale ? inner(all).concat(inner(values)) : inner(values));
    const y = d3.scaleLinear([Math.min(0, low ?? 0), Math.max(0, high ?? 0) || 1], [height, 0]).nice(3);
    const most = d3.max(inner(values), Math.abs) || 1, grey = sameScale ? 1 : most / (d3.max(inner(all), Math.abs) || 1);
    back.attr("d", outline(all, (value) => y(value * grey)));
    const inside = (_, bar) => !brush || (bar >= brush[0] && bar < brush[1]);
    front.attr("d", outline(values.map((value, bar) => (inside(value, bar) ? value : null)), y));
    rest.attr("d", outline(values.map((value, bar) => (inside(value, bar) ? null : value)), y));
    rules.selectAll("g").data(y.ticks(3)).join((enter) => {
      const rule = enter.append("g");
      rule.append("line").attr("class", "rule");
      rule.append("text").attr("text-anchor", "end").attr("dy", "0.32em");
      return rule;
    }).attr("transform", (value) => `translate(${LEFT},${TOP + y(value)})`).each(function (value) {
      d3.select(this).select("line").attr("x2", width);
      d3.select(this).select("text").attr("x", -6).text(short(value));
    });
  }

  new ResizeObserver(size).observe(card.node());
  size();
  return { draw, choose: (ranges) => set(ranges?.[0] ?? null), label: (text) => svg.attr("aria-label", text) };
}
