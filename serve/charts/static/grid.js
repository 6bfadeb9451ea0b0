// A view of two columns: a cell for each pair of bars, darker for more, and a rectangular brush.

import { along, described, drawTicks, moved, short } from "./axes.js";

const HEIGHT = 424, LEFT = 46, RIGHT = 12, TOP = 8, BOTTOM = 40;

export function grid(card, view, brushed) {
  const [across, up] = view.axes;
  card.classed("grid", true).classed("first", d3.select(".card.first").empty());
  const field = card.append("div").attr("class", "field");
  const canvas = field.append("canvas").style("left", `${LEFT}px`).style("top", `${TOP}px`);
  const svg = field.append("svg").attr("class", "chart").attr("height", HEIGHT).attr("tabindex", 0).attr("role", "group");
  const below = svg.append("g").attr("transform", `translate(${LEFT},${HEIGHT - BOTTOM})`);
  const beside = svg.append("g").attr("transform", `translate(${LEFT},${TOP})`);
  const layer = svg.append("g").attr("transform", `translate(${LEFT},${TOP})`);
  const scaleText = svg.append("text").attr("text-anchor", "end").attr("y", HEIGHT - 8);
  svg.append("text").attr("x", LEFT).attr("y", HEIGHT - 8).text(`→ ${across.column}   ↑ ${up.column}`);
  const height = HEIGHT - TOP - BOTTOM;
  canvas.attr("width", across.labels.length).attr("height", up.labels.length);
  const pen = canvas.node().getContext("2d");
  let width, x, y, tool, brush = null, shown = null, quiet = false;

  function size() {
    width = Math.max(80, card.node().clientWidth - 28 - LEFT - RIGHT);
    [x, y] = [plain(across, width), plain(up, height)];
    svg.attr("viewBox", `0 0 ${width + LEFT + RIGHT} ${HEIGHT}`);
    canvas.style("width", `${width}px`).style("height", `${height}px`);
    scaleText.attr("x", LEFT + width);
    drawTicks(below, x.ticks(), width);
    beside.selectAll("text").data(y.ticks()).join("text").attr("x", -6).attr("dy", "0.32em")
      .attr("text-anchor", "end").attr("y", (tick) => height - tick.at).text((tick) => tick.text);
    tool = d3.brush().extent([[0, 0], [width, height]]).on("start brush end", dragged);
    layer.call(tool);
    place();
    if (shown) draw(shown);
  }

  function dragged(event) {
    if (quiet || !event.sourceEvent) return;
    if (event.type === "start") svg.node().focus({ preventScroll: true });
    let next = event.type === "end" ? null : brush;
    if (event.selection) {
      const [[left, top], [right, bottom]] = event.selection;
      next = [x.within(left, right), y.within(height - bottom, height - top)];
    }
    if (event.type === "end") set(next);
    else if (String(next) !== String(brush)) { brush = next; tell(); }
  }

  function place() {
    quiet = true;
    layer.call(tool.move, brush && [
      [x.start(brush[0][0]), height - y.stop(brush[1][1] - 1)],
      [x.stop(brush[0][1] - 1), height - y.start(brush[1][0])],
    ]);
    quiet = false;
  }

  function tell() {
    if (!brush) return brushed(null, "");
    const [[left, right], [low, high]] = brush, tall = up.labels.length;
    const cells = d3.range(left, right).map((bar) => [bar * tall + low, bar * tall + high]);
    brushed(cells, `${described(across, left, right)} × ${described(up, low, high)}`);
  }

  function set(next) {
    const same = String(next) === String(brush);
    brush = next;
    place();
    if (!same) tell();
  }

  function choose(ranges) {
    if (!ranges) return set(null);
    const tall = up.labels.length, lefts = ranges.map(([first]) => Math.floor(first / tall));
    const [first, end] = ranges[0].map((cell) => cell - lefts[0] * tall);
    set([[lefts[0], lefts.at(-1) + 1], [first, end]]);
  }

  svg.on("keydown", (event) => {
    const sideways = ["ArrowLeft", "ArrowRight", "Escape"].includes(event.key);
    const of = sideways ? across : up, was = brush && brush[sideways ? 0 : 1];
    const keys = sideways ? ["ArrowLeft", "ArrowRight"] : ["ArrowDown", "ArrowUp"];
    const next = moved(event.key, event.shiftKey, was, of.labels.length, keys);
    if (next === undefined) return;
    event.preventDefault();
    const other = brush?.[sideways ? 1 : 0] ?? [0, (sideways ? up : across).labels.length];
    set(next && (sideways ? [next, other] : [other, next]));
  });

  function draw(next) {
    shown = next;
    const { values, all, sameScale } = next;
    const style = getComputedStyle(card.node());
    const ramp = d3.interpolateRgb(style.getPropertyValue("--low").trim(), style.getPropertyValue("--high").trim());
    // Cells of the less frequent texts may have most rows, and all others would look empty.
    const known = (_, cell) => Math.floor(cell / up.labels.length) !== across.others && cell % up.labels.length !== up.others;
    const shades = sameScale ? all.filter(known).concat(values.filter(known)) : values.filter(known);
    const most = d3.max(shades, Math.abs) || 1;
    const colours = d3.range(64).map((step) => d3.rgb(ramp(step / 63))), empty = d3.rgb(style.getPropertyValue("--off").trim());
    const wide = across.labels.length, tall = up.labels.length, image = pen.createImageData(wide, tall);
    values.forEach((value, cell) => {
      if (!value && !all[cell]) return;
      const colour = value ? colours[Math.round(63 * Math.sqrt(Math.min(1, Math.abs(value) / most)))] : empty;
      const at = 4 * ((tall - 1 - (cell % tall)) * wide + Math.floor(cell / tall));
      image.data.set([colour.r, colour.g, colour.b, value ? 255 : 90], at);
    });
    pen.putImageData(image, 0, 0);
    scaleText.text(`darkest: ${short(most)}`);
  }

  new ResizeObserver(size).observe(card.node());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => shown && draw(shown));
  size();
  return { draw, choose, label: (text) => svg.attr("aria-label", text) };
}

// All bars have the same width in a grid, also that of rows without a value.
function plain(axis, length) {
  const places = along({ ...axis, missing: false }, length);
  const known = axis.labels.length - (axis.missing ? 1 : 0);
  const part = (length * known) / axis.labels.length;
  return { ...places, ticks: () => along({ ...axis, labels: axis.labels.slice(0, known), missing: false }, part).ticks() };
}
