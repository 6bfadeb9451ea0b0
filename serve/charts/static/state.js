// What the page shows, in the fragment of its address: views, brushes, measure, scale and order.

const OF = ["table", "item", "dir", "depth", "as_of"];

/** Return the part of the address that names the records; empty on the page of a file. */
export function named() {
  const given = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(OF.filter((name) => given.has(name)).map((name) => [name, given.get(name)]));
}

/** Return the state in the address. Lists are null if the address does not have them. */
export function state() {
  const given = new URLSearchParams(location.hash.slice(1));
  const part = (prefix) => [...given].filter(([name]) => name.startsWith(prefix)).map(([name, value]) => [name.slice(prefix.length), value]);
  const hows = new Map(part("how."));
  return {
    views: given.has("view") ? given.getAll("view").map((name) => [name, hows.get(name) ?? ""]) : null,
    brushes: Object.fromEntries(part("brush.").map(([name, value]) => [name, runs(value)])),
    measure: given.get("measure") ?? "",
    scale: given.get("scale") === "same",
    order: given.has("sort") ? [given.get("sort"), given.get("way") === "descending" ? "descending" : "ascending"] : null,
  };
}

const runs = (text) => text.split(",").map((run) => run.split("-").map(Number));

let written = "";

/** Return whether someone else has written the address: a person, or a step back. */
export const isForeign = () => location.hash !== written;

/** Put a state into the address. The way back leads to the page before, not to each brush. */
export function keep({ views, brushes, measure, scale, order }) {
  const given = new URLSearchParams(named());
  for (const [name, how] of views ?? []) {
    given.append("view", name);
    if (how) given.set(`how.${name}`, how);
  }
  for (const [name, ranges] of Object.entries(brushes)) given.set(`brush.${name}`, ranges.map((run) => run.join("-")).join(","));
  if (measure) given.set("measure", measure);
  if (scale) given.set("scale", "same");
  if (order) {
    given.set("sort", order[0]);
    given.set("way", order[1]);
  }
  const next = `#${given}`;
  written = next;
  if (next !== location.hash) history.replaceState(null, "", next);
}
