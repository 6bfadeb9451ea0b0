"use strict";
// An answer as a graph. A folded module is one node; clicking it shows the nodes inside of it.

const MOST_NODES = 400; // more than this cannot be read
const data = JSON.parse(document.getElementById("data").textContent);
const { modules, nodes, items, triples } = data.foldable;
const moduleOf = new Map(modules.map((name, at) => [name, at]));
const folded = new Set(data.folded.map((name) => moduleOf.get(name)).filter((at) => at !== undefined));
const element = (id) => document.getElementById(id);
const number = (count) => count.toLocaleString("en");
const counted = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

// What a view shows: nodes with the items that they stand for or hide, and edges with triples.
function view() {
  const hidden = items.map((one) => one.hidden_by !== null && one.hidden_by.every((m) => folded.has(m)));
  const shown = new Map();
  const add = (node, count) => shown.set(node, (shown.get(node) ?? 0) + count);
  const edges = new Map();
  const link = (from, to, op, count) => {
    const key = JSON.stringify([from, to, op]);
    edges.set(key, (edges.get(key) ?? 0) + count);
  };
  const inside = (node) => node !== null && folded.has(moduleOf.get(nodes[node].module));
  items.forEach((one, at) => {
    if (!hidden[at]) add(one.node, one.items);
  });
  for (const one of triples) {
    const [from, to] = [items[one.from].node, items[one.to].node];
    if (!inside(one.node)) {
      link(from, to, one.op, one.triples);
      continue;
    }
    add(one.node, 0);
    if (!hidden[one.from] && !one.own) link(from, one.node, one.op, one.triples);
    if (!hidden[one.to]) link(one.node, to, one.op, one.triples);
  }
  items.forEach((one, at) => {
    if (hidden[at] && one.made_in !== null) add(one.made_in, one.items);
  });
  const list = [...edges].map(([key, count]) => [...JSON.parse(key), count]);
  list.sort((a, b) => b[3] - a[3] || a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1));
  return { shown, edges: list };
}

const label = (node) => {
  const { name, run, execution, invocation } = nodes[node];
  return [name || "(no table)", run, execution, invocation].filter(Boolean).join(" ");
};

function below(node, count) {
  const { kind, invocations, table } = nodes[node];
  if (kind === "item") return table || "item";
  if (kind === "module") {
    const calls = invocations > 1 ? `${counted(invocations, "invocation")}, ` : "";
    return `${calls}${number(count)} inside`;
  }
  return kind === "invocation" ? `${number(count)} inside` : counted(count, "item");
}

// Layers from left to right: what was made from something is right of it, except on cycles.
function layers(ids, pairs) {
  const next = new Map(ids.map((id) => [id, []]));
  for (const [from, to] of pairs) if (from !== to) next.get(from).push(to);
  const state = new Map();
  const order = [];
  const back = new Set();
  for (const root of ids) {
    const stack = [[root, 0]];
    if (state.has(root)) continue;
    state.set(root, 1);
    while (stack.length) {
      const top = stack[stack.length - 1];
      const to = next.get(top[0])[top[1]++];
      if (to === undefined) {
        state.set(top[0], 2);
        order.push(stack.pop()[0]);
      } else if (!state.has(to)) {
        state.set(to, 1);
        stack.push([to, 0]);
      } else if (state.get(to) === 1) back.add(`${top[0]} ${to}`);
    }
  }
  const layer = new Map(ids.map((id) => [id, 0]));
  for (const from of order.reverse()) {
    for (const to of next.get(from)) {
      if (!back.has(`${from} ${to}`)) layer.set(to, Math.max(layer.get(to), layer.get(from) + 1));
    }
  }
  for (const from of order.reverse()) { // sources move next to what was made from them
    const far = next.get(from).filter((to) => !back.has(`${from} ${to}`)).map((to) => layer.get(to));
    if (far.length) layer.set(from, Math.max(layer.get(from), Math.min(...far) - 1));
  }
  return layer;
}

const WIDE = 168; // the most that a node may be wide, and the least
const NARROW = 84;
const HIGH = 46;
const GAP = 22;
const BETWEEN = 120;
const FONT = "system-ui, sans-serif";
const TITLE = { "font-size": 13, "font-weight": 600 };
const SMALL = { "font-size": 11, "font-weight": 400 };
const pen = document.createElement("canvas").getContext("2d");

function measured(text, font) {
  pen.font = `${font["font-weight"]} ${font["font-size"]}px ${FONT}`;
  return pen.measureText(text).width;
}

// The beginning of a text that fits into a width.
function cut(text, most, font) {
  if (measured(text, font) <= most) return text;
  const letters = [...text];
  while (letters.length > 1 && measured(`${letters.join("")}…`, font) > most) letters.pop();
  return `${letters.join("")}…`;
}

const unfolds = (node) => nodes[node].kind === "module" || nodes[node].kind === "invocation";
const title = (node) => (unfolds(node) ? "▸ " : "") + label(node);

function breadth(node, count) {
  const text = Math.max(measured(title(node), TITLE), measured(below(node, count), SMALL));
  return Math.min(WIDE, Math.max(NARROW, Math.ceil(text) + 22));
}

// Places of nodes and of the bends of edges: bends keep long edges from crossing nodes.
function places(shown, pairs) {
  const ids = [...shown.keys()].sort((a, b) => a - b);
  const layer = layers(ids, pairs);
  const columns = [];
  const near = new Map();
  const put = (key, at) => {
    (columns[at] ??= []).push(key);
    near.set(key, []);
  };
  ids.forEach((id) => put(id, layer.get(id)));
  const bends = new Map();
  for (const [from, to] of pairs) {
    if (from === to) continue;
    const [a, b] = [layer.get(from), layer.get(to)];
    const chain = [from];
    for (let at = a + Math.sign(b - a); at !== b && a !== b; at += Math.sign(b - a)) {
      const key = `${from} ${to} ${at}`;
      put(key, at);
      chain.push(key);
    }
    chain.push(to);
    chain.slice(1).forEach((key, at) => {
      near.get(key).push(chain[at]);
      near.get(chain[at]).push(key);
    });
    bends.set(`${from} ${to}`, chain);
  }
  const height = (key) => (typeof key === "number" ? HIGH : 8);
  const y = new Map();
  const stack = (column) => {
    let top = 0;
    for (const key of column) {
      y.set(key, top + height(key) / 2);
      top += height(key) + GAP;
    }
  };
  columns.forEach(stack);
  const middle = (key) => {
    const ys = near.get(key).map((one) => y.get(one));
    return ys.length ? ys.reduce((a, b) => a + b) / ys.length : y.get(key);
  };
  for (let round = 0; round < 12; round++) {
    for (const column of round % 2 ? [...columns].reverse() : columns) {
      const wish = new Map(column.map((key) => [key, middle(key)]));
      column.sort((a, b) => wish.get(a) - wish.get(b));
      settle(column, wish, y, height);
    }
  }
  const top = Math.min(...[...y].map(([key, at]) => at - height(key) / 2));
  const [x, wide] = [new Map(), new Map()];
  let left = 0;
  for (const column of columns) {
    const each = column.map((key) => (typeof key === "number" ? breadth(key, shown.get(key)) : 0));
    const widest = Math.max(...each);
    column.forEach((key) => {
      x.set(key, left + widest / 2);
      wide.set(key, widest);
    });
    left += widest + BETWEEN;
  }
  y.forEach((at, key) => y.set(key, at - top));
  const low = Math.max(...[...y].map(([key, at]) => at + height(key) / 2));
  return { x, y, wide, bends, width: left - BETWEEN, height: low };
}

// Move the keys of a column as near to their wishes as gaps allow: groups that touch share a shift.
function settle(column, wish, y, height) {
  const groups = [];
  let offset = 0;
  column.forEach((key, at) => {
    if (at) offset += (height(column[at - 1]) + height(key)) / 2 + GAP;
    groups.push({ keys: [[key, offset]], sum: wish.get(key) - offset });
    const mean = (group) => group.sum / group.keys.length;
    while (groups.length > 1 && mean(groups[groups.length - 2]) > mean(groups[groups.length - 1])) {
      const last = groups.pop();
      groups[groups.length - 1].keys.push(...last.keys);
      groups[groups.length - 1].sum += last.sum;
    }
  });
  for (const { keys, sum } of groups) for (const [key, by] of keys) y.set(key, sum / keys.length + by);
}

const FILL = { table: "#f79767", module: "#569480", set: "#4c8eda", item: "#c990c0", invocation: "#d9c8ae" };
const INK = { invocation: "#604a0e", table: "#3d1a05", item: "#3a1a34" };

function svg(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function drawn({ shown, edges }) {
  const pairs = new Map();
  for (const [from, to, op, count] of edges) {
    const key = `${from} ${to}`;
    if (!pairs.has(key)) pairs.set(key, { from, to, ops: [] });
    pairs.get(key).ops.push([op, count]);
  }
  const at = places(shown, [...pairs.values()].map((p) => [p.from, p.to]));
  const loops = [...pairs.values()].filter((p) => p.from === p.to);
  const edge = 12;
  const above = Math.max(0, ...loops.map((p) => LOOP + HIGH / 2 - at.y.get(p.from)));
  const [width, height] = [at.width + 2 * edge, at.height + 2 * edge + above];
  const picture = svg("svg", {
    width, height, viewBox: `${-edge} ${-edge - above} ${width} ${height}`, role: "group",
    "font-family": FONT, "aria-label": `${counted(shown.size, "node")}`,
  });
  for (const pair of pairs.values()) picture.append(line(pair, at));
  for (const [node, count] of shown) picture.append(box(node, count, at));
  return picture;
}

function line({ from, to, ops }, at) {
  const group = svg("g", { "data-from": from, "data-to": to });
  const words = ops.map(([op, count]) => `${op || "(no op)"} ×${number(count)}`);
  group.append(svg("title", {}, `${label(to)} from ${label(from)}: ${words.join(", ")}`));
  const [path, [x, y]] = from === to ? loop(at.x.get(from), at.y.get(from)) : curve(from, to, at);
  group.append(svg("path", { d: path, class: "edge", fill: "none", stroke: "#5b6470", "stroke-width": 1.3 }));
  const [tipX, tipY] = path.split(" ").slice(-2).map(Number);
  const way = from === to ? [0, 1] : [Math.sign(at.x.get(to) - at.x.get(from)) || 1, 0];
  group.append(svg("path", { d: head(tipX, tipY, way), class: "head", fill: "#5b6470" }));
  const more = words.length > 1 ? ` +${words.length - 1}` : "";
  group.append(svg("text", {
    ...SMALL, x, y: y - 5, class: "op", "text-anchor": "middle", fill: "#5b6470",
    stroke: "#ffffff", "stroke-width": 4, "paint-order": "stroke", "stroke-linejoin": "round",
  }, cut(words[0], BETWEEN - 14 - measured(more, SMALL), SMALL) + more));
  return group;
}

function head(x, y, [dx, dy]) {
  const [bx, by] = [x - 8 * dx, y - 8 * dy];
  return `M ${x} ${y} L ${bx + 4 * dy} ${by + 4 * dx} L ${bx - 4 * dy} ${by - 4 * dx} Z`;
}

const LOOP = 26; // how far a loop and its text rise above a node

function loop(x, y) {
  const top = y - HIGH / 2;
  return [`M ${x - 20} ${top} C ${x - 20} ${top - 26} ${x + 20} ${top - 26} ${x + 20} ${top}`, [x, top - 19]];
}

// A curve through the bends, and a place for its text: the middle of its first part.
function curve(from, to, at) {
  const points = at.bends.get(`${from} ${to}`).map((key) => [at.x.get(key), at.y.get(key)]);
  const way = Math.sign(points[1][0] - points[0][0]) || 1;
  points[0][0] += (way * at.wide.get(from)) / 2;
  points[points.length - 1][0] -= (way * at.wide.get(to)) / 2;
  let path = `M ${points[0].join(" ")}`;
  points.slice(1).forEach(([x, y], n) => {
    const [px, py] = points[n];
    const half = (x - px) / 2;
    path += ` C ${px + half} ${py} ${x - half} ${y} ${x} ${y}`;
  });
  const [[ax, ay], [bx, by]] = points.slice(-2);
  return [path, points.length === 2 ? [(ax + bx) / 2, (ay + by) / 2] : [bx - way * (BETWEEN / 2), by - (by - ay) * 0.12]];
}

function box(node, count, at) {
  const { kind, module } = nodes[node];
  const [x, y, wide] = [at.x.get(node), at.y.get(node), at.wide.get(node)];
  const text = label(node);
  const group = svg("g", { "data-node": node, "data-kind": kind, "data-name": text, "data-items": count });
  group.append(svg("title", {}, `${kind} ${text}, ${below(node, count)}${unfolds(node) ? ": click to unfold" : ""}`));
  group.append(svg("rect", {
    x: x - wide / 2, y: y - HIGH / 2, width: wide, height: HIGH, rx: kind === "item" ? HIGH / 2 : 7,
    fill: FILL[kind], stroke: node === 0 ? "#1f2329" : "none", "stroke-width": 2.5,
  }));
  const words = { "text-anchor": "middle", fill: INK[kind] ?? "#ffffff", "pointer-events": "none" };
  group.append(svg("text", { ...words, ...TITLE, x, y: y - 2 }, cut(title(node), wide - 16, TITLE)));
  group.append(svg("text", { ...words, ...SMALL, x, y: y + 14 }, cut(below(node, count), wide - 16, SMALL)));
  if (unfolds(node)) {
    group.setAttribute("tabindex", 0);
    group.setAttribute("role", "button");
    group.setAttribute("aria-expanded", "false");
    group.setAttribute("aria-label", `Unfold ${text}`);
    const unfold = () => toggle(moduleOf.get(module), true);
    group.addEventListener("click", unfold);
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      unfold();
    });
  }
  return group;
}

function toggle(module, focus) {
  const now = folded.delete(module) ? "unfolded" : folded.add(module) && "folded";
  show(`${modules[module]} ${now}: `);
  if (focus) element("modules").children[module].focus();
}

function show(what = "") {
  const found = view();
  [...element("modules").children].forEach((button, at) => {
    button.setAttribute("aria-expanded", String(!folded.has(at)));
    button.textContent = `${folded.has(at) ? "▸" : "▾"} ${modules[at]}`;
  });
  const size = `${counted(found.shown.size, "node")}, ${counted(found.edges.length, "edge")}`;
  const many = found.shown.size > MOST_NODES ? ". Too many to draw: fold modules, or ask for a coarser level" : "";
  element("said").textContent = `${what}${size}${many}.`;
  const picture = many ? null : drawn(found);
  element("picture").replaceChildren(...(picture ? [picture] : []));
  element("picture").style.setProperty("--width", `${picture ? picture.getAttribute("width") : 0}px`);
  element("save").disabled = Boolean(many);
  offerSize();
  element("edges").replaceChildren(...found.edges.slice(0, 2000).map(([from, to, op, count]) => {
    const row = document.createElement("tr");
    for (const text of [label(to), label(from), op, number(count)]) row.insertCell().textContent = text;
    row.lastChild.className = "number";
    return row;
  }));
}

// A picture that is wider than the page shrinks to its width, unless the button says otherwise.
function offerSize() {
  const { style, clientWidth, classList } = element("picture");
  element("size").hidden = parseFloat(style.getPropertyValue("--width")) <= clientWidth - 16;
  element("size").textContent = classList.contains("full") ? "Fit to width" : "Full size";
}

function save() {
  const picture = element("picture").firstChild.cloneNode(true);
  const text = new XMLSerializer().serializeToString(picture);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  link.download = "view.svg";
  link.click();
  URL.revokeObjectURL(link.href);
}

const verb = data.direction === "upstream" ? "derives from" : "affects";
document.title = `${data.item} – provhouse`;
element("title").textContent = `${data.item} ${verb} ${counted(data.found, "item")}`;
element("about").textContent =
  `Level ${data.zoom}, as of generation ${data.generation} (${data.time}).` +
  (data.complete ? "" : " Other rows may be missing: only samples of some writes have lineage.") +
  (data.truncated ? ` The answer stops at --${data.truncated}.` : "") +
  (data.erased ? ` ${counted(data.erased, "item")} erased.` : "");
modules.forEach((name, at) => {
  const button = document.createElement("button");
  button.type = "button";
  button.title = name;
  button.addEventListener("click", () => toggle(at));
  element("modules").append(button);
});
element("fold-all").addEventListener("click", () => {
  modules.forEach((_, at) => folded.add(at));
  show();
});
element("unfold-all").addEventListener("click", () => {
  folded.clear();
  show();
});
element("save").addEventListener("click", save);
element("size").addEventListener("click", () => {
  element("picture").classList.toggle("full");
  offerSize();
});
window.addEventListener("resize", offerSize);
element("fold-all").hidden = element("unfold-all").hidden = !modules.length;
show();
const asked = document.querySelector('#picture g[data-node="0"]');
if (asked) { // a picture that is still too wide begins where the asked item is
  const [box, frame] = [asked.getBoundingClientRect(), element("picture").getBoundingClientRect()];
  element("picture").scrollLeft = box.left + box.width / 2 - frame.left - frame.width / 2;
}
