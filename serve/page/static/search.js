// The search box: a combobox that shows the items found while a person types.

import { ask } from "./ask.js";
import { cut, element, make, number } from "./elements.js";
import { about, go } from "./state.js";

const WAIT = 120;
const SHOWN = 12;
let asking = new AbortController();
let timer = 0;

export function startSearch() {
  const text = element("search-text");
  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => search(text.value), WAIT);
  });
  text.addEventListener("keydown", pressed);
  text.addEventListener("blur", () => setTimeout(close, 150));
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/INPUT|TEXTAREA|SELECT/.test(document.activeElement.tagName)) {
      event.preventDefault();
      text.focus();
    }
  });
}

/** Put a text into the search box and show the items found. */
export function searchFor(text) {
  element("search-text").value = text;
  element("search-text").focus();
  search(text);
}

/** Return a field for the name of an item, which suggests names while a person types. */
export function itemField(label, value = "", more = {}) {
  const field = make("input", {
    value, "aria-label": label, placeholder: label, spellcheck: "false", autocomplete: "off", list: "suggested", ...more,
  });
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const { items } = field.value ? await named(field.value).catch(() => ({ items: [] })) : { items: [] };
      element("suggested").replaceChildren(...items.map(({ item }) => make("option", { value: item })));
    }, WAIT);
  });
  return field;
}

/** Return names that begin with the text and, if there are few, names that contain it. */
async function named(text, options = {}) {
  const { items, matches } = await ask("find", { text, limit: SHOWN }, options);
  if (items.length >= SHOWN) return { items, matches };
  const more = await ask("find", { text, limit: SHOWN, anywhere: true }, options);
  const known = new Set(items.map((each) => each.item));
  const others = more.items.filter((each) => !known.has(each.item));
  return { items: [...items, ...others].slice(0, SHOWN), matches: more.matches };
}

async function search(text) {
  asking.abort();
  asking = new AbortController();
  if (!text) return close();
  const options = { signal: asking.signal };
  try {
    const { items, matches } = await named(text, options);
    show(items, matches);
  } catch (error) {
    if (error.name !== "AbortError") show([], 0, error.message);
  }
}

function show(items, matches, wrong = "") {
  const options = items.map(({ item, table }, at) =>
    make("li", { role: "option", id: `found-${at}`, "data-item": item, onmousedown: (event) => {
      event.preventDefault();
      choose(item);
    } }, cut(item), make("span", { class: "soft" }, table)));
  const rest = matches - items.length;
  const note = wrong || (items.length ? (rest > 0 ? `${number(rest)} more: type on` : "")
    : "No name contains this text. Capital and small letters differ.");
  if (note) options.push(make("li", { class: "note", role: "presentation" }, note));
  element("search-found").replaceChildren(...options);
  element("search-found").hidden = false;
  element("search-text").setAttribute("aria-expanded", "true");
  mark(items.length ? 0 : -1);
}

function close() {
  element("search-found").hidden = true;
  element("search-text").setAttribute("aria-expanded", "false");
  element("search-text").removeAttribute("aria-activedescendant");
}

const options = () => [...element("search-found").querySelectorAll('[role="option"]')];
const marked = () => options().findIndex((each) => each.getAttribute("aria-selected") === "true");

function mark(at) {
  options().forEach((each, n) => each.setAttribute("aria-selected", String(n === at)));
  if (at >= 0) element("search-text").setAttribute("aria-activedescendant", `found-${at}`);
}

function pressed(event) {
  const found = options();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && found.length) {
    event.preventDefault();
    mark((marked() + step + found.length) % found.length);
  } else if (event.key === "Enter") {
    event.preventDefault();
    const chosen = found[marked()];
    choose(chosen ? chosen.dataset.item : event.target.value);
  } else if (event.key === "Escape") close();
}

function choose(item) {
  close();
  clearTimeout(timer);
  asking.abort();
  if (!item) return;
  element("search-text").value = "";
  go(about(item));
}
