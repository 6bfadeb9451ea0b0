// The guide to Neo4j Browser: how to log in, and queries on this warehouse, each with a link that opens it.

import { ask } from "./ask.js";
import { make, problem, say } from "./elements.js";
import { facts } from "./tables.js";

/** Show the guide, and for the item of the state a button that writes its lineage into Neo4j. */
export async function browser(state, view, still) {
  say("…");
  const found = await ask("page/browser");
  if (!still()) return;
  say(`Queries on this warehouse: ${found.queries.length}. Their links open Neo4j Browser on the machine of the server.`);
  view.replaceChildren(
    facts([["Connect URL", found.connect], ["Username", found.user],
      ["Password", found.password_file && `in ${found.password_file}`]]),
    ...(state.item ? [itemView(state)] : []),
    ...found.queries.map(query),
    ...(found.empty.length ? [make("h3", {}, "These show nothing in this warehouse"),
      make("ul", {}, found.empty.map(({ title, why }) => make("li", {}, `${title}: ${why}`)))] : []));
}

function query({ title, query: text, url }) {
  return make("section", {}, make("h3", {}, opening(title, url)), make("pre", { tabindex: 0 }, text));
}

/** Return a link that opens Browser with a query, or only its title if Browser's address is unknown. */
const opening = (title, url) => (url ? make("a", { href: url, target: "_blank", rel: "noopener" }, title) : title);

/** Return a button that writes the lineage of an item into Neo4j for a day, and then links to it. */
function itemView({ item, dir }) {
  const direction = dir === "downstream" ? dir : "upstream";
  const what = `${direction === "upstream" ? "lineage" : "impact"} of ${item}`;
  const part = make("section", { id: "item-view" }, make("button", { type: "button", onclick: async () => {
    try {
      const found = await ask("view", { item, direction });
      part.replaceChildren(make("h3", {}, opening(`The ${what}`, found.url)), make("pre", { tabindex: 0 }, found.query), make("pre", { tabindex: 0 }, found.sets_query));
    } catch (error) {
      part.replaceChildren(problem(error));
    }
  } }, `Write the ${what} into Neo4j, for a day`));
  return part;
}
