// Pictures of answers: boxes and lines, laid out and drawn. The keyboard moves between boxes.

import { boxElement, nameOf } from "./boxes.js";
import { draw, label, lines } from "./edges.js";
import { make } from "./elements.js";
import { place } from "./layout.js";

const NARROW = 640;

/**
 * Draw boxes and links into a frame, with the asked box in sight.
 *
 * `boxes` have an id, kind, name, table, items and depth; `links` have from and to (ids), op and
 * triples. `acts` is as in `boxElement`.
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
  show(frame, made, boxes, before);
}

/**
 * Place boxes and labels beside or below one another, whichever needs less scrolling.
 *
 * Each layout takes time, so what is certainly too wide is only laid out if the other needs scrolling too.
 */
function arranged(frame, sheet, boxes, made, joined, labels) {
  const room = { width: frame.clientWidth, height: parseFloat(getComputedStyle(frame).maxHeight) };
  const measured = (down) => {
    sheet.classList.toggle("down", down); // labels may be wider then
    const sized = boxes.map(({ id }, at) => ({ id, width: made[at].offsetWidth, height: made[at].offsetHeight }));
    const ways = joined.map(({ from, to }, at) => ({
      from, to, width: labels[at].offsetWidth, height: labels[at].offsetHeight,
    }));
    return { down, sized, ways };
  };
  const placed = ({ down, sized, ways }) => {
    const found = place(sized, ways, down);
    const excess = Math.max(1, found.width / room.width) * Math.max(1, found.height / room.height);
    return { found, sized, ways, down, excess };
  };
  if (room.width < NARROW) return placed(measured(true));
  const beside = measured(false);
  const wide = leastWidth(beside) > room.width;
  const first = placed(wide ? measured(true) : beside);
  if (wide ? first.excess === 1 : first.found.width <= room.width) return first;
  const second = placed(wide ? beside : measured(true));
  return second.excess < first.excess ? second : first;
}

/** Return the least width of boxes beside one another: that of the widest chain of boxes and labels. */
function leastWidth({ sized, ways }) {
  const boxes = new Map(sized.map((box) => [box.id, box]));
  const found = new Map();
  const chain = (id) => {
    if (!found.has(id)) {
      found.set(id, 0); // a cycle ends here
      const others = ways.filter(({ from }) => from === id).map(({ to, width }) => width + chain(to));
      found.set(id, boxes.get(id).width + Math.max(0, ...others));
    }
    return found.get(id);
  };
  return Math.max(...[...boxes.keys()].map(chain));
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
 * Show the asked box. If a box had the focus before, the focus stays on it, or goes to the first
 * item of its group, and its group is in sight, with the asked box if there is room for both.
 */
function show(frame, made, boxes, before) {
  const asked = made[boxes.findIndex((box) => box.asked)];
  const items = made.filter((_, at) => before.group && boxes[at].kind === "item" && boxes[at].group === before.group);
  const same = made.filter((one) => before.name && one.dataset.name === before.name && one.dataset.kind === before.kind);
  const near = items.length ? items : same;
  (before.kind === "item" && same.length ? same : near)[0]?.querySelector("button").focus({ preventScroll: true });
  if (!(near.length && (sight(frame, [asked, ...near]) || sight(frame, near)))) sight(frame, [asked ?? made[0]], true);
}

/** Scroll the frame to the middle of some boxes. Return false, and do nothing, if they do not fit. */
function sight(frame, some, anyway = false) {
  const found = some.filter(Boolean);
  const ends = (at, size) => [Math.min(...found.map((one) => one[at])), Math.max(...found.map((one) => one[at] + one[size]))];
  const [[left, right], [top, bottom]] = [ends("offsetLeft", "offsetWidth"), ends("offsetTop", "offsetHeight")];
  if (!anyway && (right - left > frame.clientWidth || bottom - top > frame.clientHeight)) return false;
  frame.scrollLeft = (left + right - frame.clientWidth) / 2;
  frame.scrollTop = (top + bottom - frame.clientHeight) / 2;
  return true;
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
