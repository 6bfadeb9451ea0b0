// The boxes of a picture: each is a button that opens or selects, with smaller buttons beside it.

import { counted, cut, inWords, make, number, short } from "./elements.js";
import { does } from "./state.js";

const KINDS = { rest: "More", item: "Item", table: "Table", set: "Set", module: "Module", op: "Made by" };

/** Return the name of a box for people. */
export function nameOf(box) {
  if (box.kind === "rest") return "all other groups";
  return box.name || `(no ${box.kind})`;
}

/**
 * Return the element of a box. `acts` has the functions `select`, `open`, `fold` and `walk`, which
 * return what a button of the box does, as in `does`; boxes without an action lack its button.
 */
export function boxElement(box, acts) {
  const item = box.kind === "item";
  const name = nameOf(box);
  const text = item ? short(name, box.table) : name;
  const words = box.asked ? make("span", { class: "whole" }, text) : cut(text);
  const main = make("button", {
    type: "button", class: "main", "aria-label": spoken(box), title: item ? inWords(name) : null,
    "aria-pressed": item ? String(Boolean(box.selected)) : null,
    ...does((item ? acts.select : acts.open)?.(box) ?? (() => {})),
  }, words, make("span", { class: "sub" }, below(box)));
  const buttons = [];
  if (item && !box.asked && acts.walk) {
    buttons.push(small("→", `Ask about ${name}`, acts.walk(box)));
  }
  if (!item && box.partly && acts.fold) buttons.push(small("-", `Fold ${name}`, acts.fold(box)));
  return make("div", {
    class: `box ${box.kind}${box.asked ? " asked" : ""}${box.selected ? " selected" : ""}${box.fate ? ` ${box.fate}` : ""}`,
    "data-box": box.id, "data-name": name, "data-kind": box.kind, "data-items": box.items, "data-group": box.group || null,
  }, main, ...buttons);
}

const small = (text, label, act) =>
  make("button", { type: "button", class: "small", "aria-label": label, title: label, ...does(act) }, text);

function below(box) {
  if (box.note) return box.note;
  if (box.asked) return `${box.table || "item"} · asked`;
  if (box.kind === "item") return box.table || "item";
  if (box.kind === "rest") return `${counted(box.items, "item")}: open a list`;
  return `${box.partly ? "and " : ""}${number(box.items)} ${box.partly ? "more" : box.items === 1 ? "item" : "items"}`;
}

function spoken(box) {
  const hops = box.depth ? `, ${counted(box.depth, "hop")} away` : "";
  if (box.asked) return `${inWords(box.name)}, the asked item`;
  if (box.kind === "item") return `${inWords(box.name)}${box.table ? ` in ${box.table}` : ""}${hops}. Select`;
  return `${KINDS[box.kind] ?? box.kind} ${nameOf(box)}, ${counted(box.items, "item")}${hops}. Open`;
}
