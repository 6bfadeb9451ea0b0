// Positions of bars along an axis, their ticks, and texts for numbers and brushes.

const [large, small] = [d3.format(".3~s"), d3.format(".3~g")];
export const short = (value) => (value && Math.abs(value) < 1 ? small : large)(value); // 0.5, not 500m
export const exact = d3.format(",");
const DAY = 864e5;
const MISSING = 26; // pixels at the end for rows without a value

// Bars lie side by side. Values between the edges are placed in proportion within their bar.
export function along(axis, width) {
  const number = axis.labels.length;
  const known = number - (axis.missing ? 1 : 0);
  const end = axis.missing && known ? width - MISSING : width;
  const start = (bar) => (bar < known || !axis.missing ? (bar / Math.max(1, known)) * end : width - (known ? 16 : width));
  const stop = (bar) => (bar < known ? ((bar + 1) / known) * end : width);
  return {
    number, start, stop, ticks: () => ticks(axis, known, end),
    // The bars of a stretch of pixels: those whose middle is in it, or else the one under it.
    within(low, high) {
      let first = 0, last = number;
      while (first < number && (start(first) + stop(first)) / 2 < low) first += 1;
      while (last > first && (start(last - 1) + stop(last - 1)) / 2 > high) last -= 1;
      if (first < last) return [first, last];
      const under = Math.min(number - 1, Math.max(0, d3.range(number).findIndex((bar) => stop(bar) > low)));
      return [under, under + 1];
    },
  };
}

function ticks(axis, known, end) {
  const most = Math.max(2, Math.floor(end / 64));
  const apart = (of) => (axis.missing ? of.filter(({ at, text }) => at + 3.5 * text.length < end - 12) : of); // "none" begins there
  const gap = axis.missing ? [{ at: end + MISSING - 8, text: "none" }] : [];
  if (!known) return gap;
  if (axis.kind === "date") return [...apart(dates(axis, known, end, most)), ...gap];
  if (axis.log) return [...apart(powers(axis, known, end, most)), ...gap];
  if (axis.edges && (axis.below || axis.above || axis.labels[0].includes(" to "))) return [...apart(numbers(axis, known, end, most)), ...gap];
  const step = Math.ceil(known / Math.max(2, Math.floor(end / (12 + 6.5 * d3.max(axis.labels, (one) => one.length)))));
  return [...d3.range(0, known, step).map((bar) => ({ at: ((bar + 0.5) / known) * end, text: axis.labels[bar] })), ...gap];
}

function numbers(axis, known, end, most) {
  const scale = d3.scaleLinear([axis.edges[0], axis.edges.at(-1)], inner(axis, known, end));
  return scale.ticks(most).map((value) => ({ at: scale(value), text: short(value).replace("−", "-") }));
}

// The stretch of the ranges between the bars of all lower and all higher numbers.
const inner = (axis, known, end) => [((axis.below ? 1 : 0) / known) * end, (1 - (axis.above ? 1 : 0) / known) * end];

// The borders that are powers of ten, or all if there are only a few.
function powers(axis, known, end, most) {
  const scale = d3.scaleLinear([0, axis.edges.length - 1], inner(axis, known, end));
  const every = axis.edges.map((value, at) => ({ value, at: scale(at) }));
  const tens = every.filter(({ value }) => Number.isInteger(Math.log10(value)));
  const shown = every.length <= most ? every : tens.length > 1 ? tens : every.filter((_, at) => at % Math.ceil(every.length / most) === 0);
  const step = Math.ceil(shown.length / most);
  return shown.filter((_, at) => at % step === 0).map(({ value, at }) => ({ at, text: short(value) }));
}

function dates(axis, known, end, most) {
  const days = axis.edges.slice(0, known);
  const last = days[known - 1] + (known > 1 ? days[known - 1] - days[known - 2] : 1);
  const scale = d3.scaleUtc([days[0] * DAY, last * DAY], [0, end]);
  return scale.ticks(most).map((value) => ({ at: scale(value), text: scale.tickFormat()(value) }));
}

// A brush as text: the labels at both ends.
export function described(axis, first, end) {
  const [low, high] = [axis.labels[first], axis.labels[end - 1]];
  if (end - first === 1) return low;
  if (/ to |^below /.test(low) && / to | and more$/.test(high)) return `${low.split(" to ")[0]} to ${high.split(" to ").at(-1)}`;
  return `${low} to ${high}`;
}

// Draw the ticks of a horizontal axis below a chart.
export function drawTicks(group, of, width) {
  group.selectAll("g").data(of).join((enter) => {
    const tick = enter.append("g");
    tick.append("line").attr("class", "base").attr("y2", 4);
    tick.append("text").attr("y", 15);
    return tick;
  }).attr("transform", (tick) => `translate(${tick.at},0)`)
    .select("text").attr("text-anchor", (tick) => (tick.at < 10 ? "start" : tick.at > width - 14 ? "end" : "middle")).text((tick) => tick.text);
}

// How a key changes a brush of `number` bars: [first, end], null for none, undefined for another key.
export function moved(key, shift, brush, number, [less, more] = ["ArrowLeft", "ArrowRight"]) {
  if (key === "Escape") return null;
  if (key === "Home") return [0, 1];
  if (key === "End") return [number - 1, number];
  if (key !== less && key !== more) return undefined;
  if (!brush) return key === more ? [0, 1] : [number - 1, number];
  const [first, end] = brush;
  const width = end - first;
  if (shift) return key === more ? [first, Math.min(number, end + 1)] : [first, Math.max(first + 1, end - 1)];
  const start = Math.min(number - width, Math.max(0, first + (key === more ? 1 : -1)));
  return [start, start + width];
}
