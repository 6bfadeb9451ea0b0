// The lines of a picture and their labels.

import { counted, make, number } from "./elements.js";
import { moreOps } from "./legend.js";

const SVG = "http://www.w3.org/2000/svg";

/** Join the links between two boxes to one line, with all its ops. */
export function lines(links) {
  const found = new Map();
  for (const { from, to, op, triples } of links) {
    const name = `${from} ${to}`;
    if (!found.has(name)) found.set(name, { from, to, ops: [] });
    found.get(name).ops.push({ op, triples });
  }
  return [...found.values()];
}

/**
 * Return the label of a line: its most frequent op, and how many more there are.
 *
 * `made` is the op that the box at the end of the line stands for; its name is not repeated. Without
 * `hasText`, only a screen reader gets the label.
 */
export function label({ from, to, ops }, nameOf, made, hasText) {
  const words = ops.map(({ op, triples }) => `${op || "(no op)"}: ${counted(triples, "triple")}`);
  const spoken = `${nameOf(to)} from ${nameOf(from)}\n${words.join("\n")}`;
  const parts = hasText ? text(ops, made) : [];
  const hides = hasText && ops.length > 1; // then the keyboard reaches the label, which shows its title
  return make("div", { class: "line-label", role: "img", "aria-label": spoken, title: spoken, tabindex: hides ? 0 : null }, ...parts);
}

function text([{ op, triples }, ...others], made) {
  const count = triples > 1 ? ` ×${number(triples)}` : "";
  const more = others.length ? ` ${moreOps(others.length)}` : "";
  return [
    op === made && count ? null : make("span", { class: "op" }, op || "(no op)"), make("span", {}, count + more)];
}

/** Return a drawing of lines between placed boxes. */
export function draw(ways, width, height) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("width", width);
  drawing.setAttribute("height", height);
  drawing.setAttribute("aria-hidden", "true");
  for (const { points } of ways) {
    const line = document.createElementNS(SVG, "path");
    line.setAttribute("d", curve(points));
    line.setAttribute("class", "line");
    const tip = document.createElementNS(SVG, "path");
    tip.setAttribute("d", head(points));
    tip.setAttribute("class", "tip");
    drawing.append(line, tip);
  }
  return drawing;
}

/** Return a smooth line through points: each corner is rounded between the middles of its sides. */
function curve(points) {
  const [first, ...rest] = points;
  let path = `M ${first.x} ${first.y}`;
  rest.slice(0, -1).forEach((corner, at) => {
    const next = rest[at + 1];
    const end = at === rest.length - 2 ? next : { x: (corner.x + next.x) / 2, y: (corner.y + next.y) / 2 };
    path += ` Q ${corner.x} ${corner.y} ${end.x} ${end.y}`;
  });
  return rest.length === 1 ? `${path} L ${rest[0].x} ${rest[0].y}` : path;
}

function head(points) {
  const [a, b] = points.slice(-2);
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length];
  const [x, y] = [b.x - 8 * dx, b.y - 8 * dy];
  return `M ${b.x} ${b.y} L ${x + 4 * dy} ${y - 4 * dx} L ${x - 4 * dy} ${y + 4 * dx} Z`;
}
