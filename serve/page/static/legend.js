// The signs of a picture in words, below it.

import { make, number } from "./elements.js";

/** Return a list that explains the signs in names of boxes and in labels of lines, each by an example. */
export function legend(boxes, lines) {
  const [count] = lines.map(({ ops }) => ops[0].triples).filter((triples) => triples > 1);
  const [more] = lines.map(({ ops }) => ops.length - 1).filter((ops) => ops > 0);
  const [version] = boxes.map(({ name }) => name.match(/@(\d+)$/)?.[1]).filter(Boolean);
  const signs = [
    [count && `×${number(count)}`, `${number(count)} triples: steps that made an item of one box from an item of the other`],
    [more && moreOps(more), `${more === 1 ? "one more op" : `${number(more)} more ops`} on this line: point at the label, or press Tab, to read all names`],
    [version && `@${version}`, `version ${version} of the item: each write of a table gives its rows a new version`],
  ].filter(([sign]) => sign);
  return make("dl", { class: "legend", "aria-label": "Signs in the picture", hidden: !signs.length },
    ...signs.map(([sign, words]) => make("div", {}, make("dt", {}, sign), make("dd", {}, words))));
}

/** Return the sign for further ops on a line. */
export const moreOps = (count) => `+${number(count)} ${count === 1 ? "op" : "ops"}`;
