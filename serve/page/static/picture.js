// Pictures of answers: boxes and lines, laid out and drawn. The keyboard moves between boxes.

import { boxElement, nameOf } from "./boxes.js";
import { draw, label, lines } from "./edges.js";
import { make } from "./elements.js";
import { leastSize, place } from "./layout.js";
import { legend } from "./legend.js";

const NARROW = 640;

/**
 * Draw boxes and links into a frame, with the asked box and the sought boxes in sight.
 *
 * `boxes` have an id, kind, name, table, items and depth, and perhaps asked, selected and sought;
 * `links` have from and to (ids), op and triples. `acts` is as in `boxElement`.
 */
export function drawPicture(frame, boxes, links, acts, label_ = "Picture of the answer") {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const name = (id) => nameOf(byId.get(id));
  const joined = lines(links);
  const made = boxes.map((box) => boxElement(box, acts));
  const madeBy = ({ kind, name: op }) => (kind === "op" ? op : null);
  const texts = withText(joined, byId);
  const labels = joined.map((line, at) => label(line, name, madeBy(byId.get(line.to)), texts[at]));
  const sheet = make("div", { class: "sheet measuring" }, ...labels, ...made);
  const before = { ...document.activeElement?.closest(".picture .box")?.dataset };
  const fresh = !frame.hasChildNodes();
  frame.replaceChildren(sheet);
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", `${label_}: ${boxes.length} boxes, ${joined.length} lines`);
  const { found, sized, ways, down } = arranged(frame, sheet, boxes, made, joined, labels);
  sheet.classList.toggle("down", down);
  sheet.classList.remove("measuring");
  sheet.style.width = `${found.width}px`;
  sheet.style.height = `${found.height}px`;
  made.forEach((one, at) => move(one, found.at.get(boxes[at].id), sized[at]));
  labels.forEach((one, at) => move(one, found.ways[at], ways[at]));
  sheet.prepend(draw(found.ways, found.width, found.height));
  sheet.addEventListener("keydown", walkBoxes);
  explain(frame, legend(boxes, joined.filter((_, at) => texts[at])));
  const near = inSight(frame, made, boxes, before, found.at);
  if (fresh) near?.scrollIntoView({ block: "nearest" }); // the frame itself may be out of sight
}

/** Show a legend below a frame, in the place of its earlier one. */
function explain(frame, words) {
  const next = frame.nextElementSibling;
  if (next?.matches(".legend")) next.replaceWith(words);
  else frame.after(words);
}

/**
 * Place boxes and labels beside or below one another, whichever needs less scrolling.
 *
 * Each layout takes time, so the second one is only made if its least size does not rule it out.
 */
function arranged(frame, sheet, boxes, made, joined, labels) {
  const room = { width: frame.clientWidth, height: parseFloat(getComputedStyle(frame).maxHeight) };
  const excess = ({ width, height }) => Math.max(1, width / room.width) * Math.max(1, height / room.height);
  const measured = (down) => {
    sheet.classList.toggle("down", down); // labels may be wider then
    const sized = boxes.map(({ id }, at) => ({ id, width: made[at].offsetWidth, height: made[at].offsetHeight }));
    const ways = joined.map(({ from, to }, at) => ({
      from, to, width: labels[at].offsetWidth, height: labels[at].offsetHeight,
    }));
    return { down, sized, ways, least: leastSize(sized, ways, down) };
  };
  const placed = ({ down, sized, ways }) => {
    const found = place(sized, ways, down);
    return { found, sized, ways, down, excess: excess(found) };
  };
  if (room.width < NARROW) return placed(measured(true));
  const beside = measured(false);
  const fits = beside.least.width <= room.width ? placed(beside) : null;
  if (fits && fits.found.width <= room.width) return fits;
  const below = measured(true);
  const [one, other] = fits || excess(beside.least) < excess(below.least) ? [beside, below] : [below, beside];
  const first = fits ?? placed(one);
  if (excess(other.least) >= first.excess) return first;
  const second = placed(other);
  return second.excess < first.excess ? second : first;
}

/**
 * Return whether each line has a text: of the lines between a box and the items of an opened group
 * with one op, only the middle one has it.
 */
function withText(joined, byId) {
  const alike = new Map();
  joined.forEach(({ from, to, ops }, at) => {
    const ends = [from, to].map((id) => byId.get(id)).map(({ id, kind, group }) => (kind === "item" && group ? group : id));
    const key = JSON.stringify([ends, ops.map(({ op }) => op)]);
    alike.set(key, [...(alike.get(key) ?? []), at]);
  });
  const middles = new Set([...alike.values()].map((each) => each[Math.floor(each.length / 2)]));
  return joined.map((_, at) => middles.has(at));
}

// The size is given: reading it from a page that has just changed would lay the page out again.
function move(one, { x, y }, { width, height }) {
  one.style.left = `${x - width / 2}px`;
  one.style.top = `${y - height / 2}px`;
}

/**
 * Scroll the frame to the asked box and those that people look for; return the first of these.
 *
 * If a box had the focus before, the focus stays on it, or goes to the first item of its group, and
 * people look for these. Otherwise they look for the selected item and the sought boxes.
 */
function inSight(frame, made, boxes, before, at) {
  const those = (which) => made.filter((_, box) => which(boxes[box]));
  const [asked] = those((box) => box.asked);
  const items = those(({ kind, group }) => before.group && kind === "item" && group === before.group);
  const same = made.filter((one) => before.name && one.dataset.name === before.name && one.dataset.kind === before.kind);
  const focused = before.kind === "item" && same.length ? same : items.length ? items : same;
  focused[0]?.querySelector("button").focus({ preventScroll: true });
  const place = (one) => at.get(one.dataset.box);
  const [middle, first] = [place(asked ?? made[0]), focused[0] ?? those((box) => box.selected)[0]];
  const far = (one) => Math.hypot(place(one).x - middle.x, place(one).y - middle.y);
  const others = (focused.length ? items : those((box) => box.sought)).sort((a, b) => far(a) - far(b));
  const near = first ? [first, ...others] : others;
  sight(frame, middle, near.map(place));
  return near[0];
}

/** Scroll a frame to a place and as many of the others as fit, or only to the others if none fits beside it. */
function sight(frame, asked, others) {
  const room = { width: frame.clientWidth, height: frame.clientHeight };
  const both = around(room, [asked, ...others]);
  const { left, right, top, bottom } = both.count === 1 && others.length ? around(room, others) : both;
  frame.scrollLeft = (left + right - room.width) / 2;
  frame.scrollTop = (top + bottom - room.height) / 2;
}

/** Return the edges around the first place and all others that fit into a room with it, and their number. */
function around(room, places) {
  const found = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity, count: 0 };
  for (const { x, y, width, height } of places) {
    const [left, right] = [Math.min(found.left, x - width / 2), Math.max(found.right, x + width / 2)];
    const [top, bottom] = [Math.min(found.top, y - height / 2), Math.max(found.bottom, y + height / 2)];
    if (found.count && (right - left > room.width || bottom - top > room.height)) continue;
    Object.assign(found, { left, right, top, bottom, count: found.count + 1 });
  }
  return found;
}

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Move the focus to the nearest box in the direction of an arrow key. */
function walkBoxes(event) {
  const way = WAYS[event.key];
  const from = event.target.closest(".box");
  if (!way || !from) return;
  event.preventDefault();
  const middle = (box) => [box.offsetLeft + box.offsetWidth / 2, box.offsetTop + box.offsetHeight / 2];
  const [x, y] = middle(from);
  let [best, least] = [null, Infinity];
  for (const box of event.currentTarget.querySelectorAll(".box")) {
    const [dx, dy] = [middle(box)[0] - x, middle(box)[1] - y];
    const along = dx * way[0] + dy * way[1];
    const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    if (along > 1 && along + 2 * aside < least) [best, least] = [box, along + 2 * aside];
  }
  best?.querySelector("button").focus();
}
