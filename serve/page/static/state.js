// The state of the page, in the fragment of its address: it can be shared, and no server logs it.

const LISTS = ["open", "strike", "sort"];

/** Return the state in an address: texts by name, and lists for the names in LISTS. */
export function state(from = location.hash) {
  const given = new URLSearchParams(from.slice(1));
  const found = { view: "explore", dir: "both", by: "table" };
  for (const [name, value] of given) if (!LISTS.includes(name)) found[name] = value;
  for (const name of LISTS) found[name] = given.getAll(name);
  return found;
}

/** Return the address of a state. Empty and default values are left out. */
export function address(wanted) {
  const named = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) {
    if (Array.isArray(value)) value.forEach((each) => named.append(name, each));
    else if (value && DEFAULTS[name] !== value) named.set(name, value);
  }
  return `#${named}`;
}

const DEFAULTS = { view: "explore", dir: "both", by: "table" };

/** Change some values of the state, and call the function that `onState` was given. */
export function go(changes, { replace = false } = {}) {
  performance.mark("asked");
  const next = address({ ...state(), ...changes });
  if (next === (location.hash || "#")) return;
  history[replace ? "replaceState" : "pushState"](null, "", next);
  listener(state());
}

/**
 * Return the listeners of a button that makes changes of the state, or calls a function.
 *
 * A person holds a button for about a tenth of a second: what the new state asks is asked when it is pressed down.
 */
export function does(act) {
  if (typeof act === "function") return { onclick: act };
  return { onclick: () => go(act), onpointerdown: () => foresee(state(link(act))) };
}

/** Note changes of the state that the view shows already. */
export function note(changes) {
  history.replaceState(null, "", address({ ...state(), ...changes }));
  document.getElementById("view").dataset.shown = location.hash;
}

/** Return the address of the state with some changes, for a link. */
export const link = (changes) => address({ ...state(), ...changes });

/** Return the changes that ask about another item: what was opened or selected is forgotten. */
export const about = (item) => ({ view: "explore", item, table: "", open: [], sort: [], rest: "", sel: "" });

/** Return the address of the charts of a table's records in the answer of a state; without a table, it can be chosen. */
export function chartsOf({ item = "", dir, depth = "", as_of = "" }, table = "", direction = dir) {
  const given = Object.entries({ table, item, dir: item && direction === "downstream" ? direction : "", depth, as_of });
  return `/charts/#${new URLSearchParams(given.filter(([, value]) => value))}`;
}

let [listener, foresee] = [() => {}, () => {}];

/**
 * Call a function with each new state, also when the address is typed or the way back is taken.
 *
 * `early` is called with a state that may come soon.
 */
export function onState(call, early) {
  [listener, foresee] = [call, early];
  window.addEventListener("hashchange", () => {
    performance.mark("asked");
    call(state());
  });
}
