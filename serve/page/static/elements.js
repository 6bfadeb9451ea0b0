// Small parts of pages: elements, numbers, and names that are cut in the middle.

/** Return an element. Attributes that begin with "on" are listeners; false ones are left out. */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

export const element = (id) => document.getElementById(id);
const digits = new Intl.NumberFormat("en"); // toLocaleString would make one for each number
export const number = (value) => digits.format(value);
export const counted = (count, what) => `${number(count)} ${what}${count === 1 ? "" : "s"}`;

/** Tell people with a screen reader, and show it below the title. */
export function say(text) {
  element("said").textContent = text;
}

/** Return a name without the table, which is shown with it. */
export function short(name, table) {
  return table && name.startsWith(`${table}/`) && name.length > table.length + 1
    ? name.slice(table.length + 1)
    : name;
}

/** Return a name and, if it ends with a version, what this means. */
export function inWords(name) {
  const [, base, version] = name.match(/^(.+)@(\d+)$/s) ?? [];
  return version ? `${name}: version ${version} of ${base}` : name;
}

const TAIL = 9;

/** Return an element with a name that is cut in its middle if it is too long: ends tell names apart. */
export function cut(text) {
  const letters = [...text];
  const at = letters.length > 2 * TAIL ? letters.length - TAIL : letters.length;
  return make("span", { class: "cut", title: inWords(text) },
    make("span", { class: "head" }, letters.slice(0, at).join("")),
    make("span", { class: "tail" }, letters.slice(at).join("")));
}

/** Return a plan of Spark without the numbers of its columns. */
export const plain = (sql) => sql?.replace(/#\d+L?\b/g, "");

/** Return the description of an error: what is wrong, why, and what to do. */
export function problem(error) {
  return make("div", { class: "problem", role: "alert" },
    make("strong", {}, error.message),
    error.detail ? make("p", {}, error.detail) : null,
    error.remedy ? make("p", { class: "remedy" }, error.remedy) : null);
}

/** Return a number as people read it: without the last digits of double precision. */
export function value(found) {
  if (typeof found !== "number") return found === null ? "nothing" : String(found);
  return Number.isInteger(found) ? number(found) : String(Number(found.toPrecision(10)));
}
