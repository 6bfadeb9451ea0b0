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
  frame.replaceChildren(sheet);
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", `${label_}: ${boxes.length} boxes, ${joined.length} lines`);
  const sized = boxes.map(({ id }, at) => ({ id, width: made[at].offsetWidth, height: made[at].offsetHeight }));
  const ways = joined.map(({ from, to }, at) => ({
    from, to, width: labels[at].offsetWidth, height: labels[at].offsetHeight,
  }));
  const found = place(sized, ways, frame.clientWidth, frame.clientWidth < NARROW);
  sheet.classList.remove("measuring");
  sheet.style.width = `${found.width}px`;
  sheet.style.height = `${found.height}px`;
  made.forEach((one, at) => move(one, found.at.get(boxes[at].id), sized[at]));
  labels.forEach((one, at) => move(one, found.ways[at], ways[at]));
  sheet.prepend(draw(found.ways, found.width, found.height));
  sheet.addEventListener("keydown", walkBoxes);
  showAsked(frame, made[boxes.findIndex((box) => box.asked)]);
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

/** Scroll the frame so that a box is in its middle, as far as there is something to scroll. */
function showAsked(frame, box) {
  if (!box) return;
  frame.scrollLeft = box.offsetLeft + box.offsetWidth / 2 - frame.clientWidth / 2;
  frame.scrollTop = box.offsetTop + box.offsetHeight / 2 - frame.clientHeight / 2;
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
