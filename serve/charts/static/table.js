// The table of the first selected records, and their order.

/**
 * Show records. `sort` is called with a column and a direction, or null, when a heading is pressed.
 * `link`, if there is one, returns the address of the item in the first column.
 */
export function showRecords(columns, values, order, sort, link) {
  const numeric = values.map((of) => {
    const known = of.filter((value) => value !== null);
    return known.length > 0 && known.every((value) => typeof value === "number");
  });
  const table = d3.select("#records");
  const kind = (_, at) => (numeric[at] ? "number" : null);
  table.selectAll("thead").data([columns]).join("thead").selectAll("tr").data([columns]).join("tr")
    .selectAll("th").data(columns).join("th").attr("scope", "col").attr("class", kind)
    .attr("aria-sort", (name) => (order?.[0] === name ? order[1] : null))
    .selectAll("button").data((name) => [name]).join("button").attr("type", "button").text((name) => name)
    .on("click", (_, name) => sort(next(order, name)));
  const rows = d3.transpose(values);
  table.selectAll("tbody").data([rows]).join("tbody").selectAll("tr").data(rows).join("tr")
    .selectAll("td").data((row) => row).join("td")
    .attr("class", (value, at) => [kind(value, at), value === null ? "null" : null].filter(Boolean).join(" ") || null)
    .each(function show(value, at) {
      const text = value === null ? "NULL" : typeof value === "number" ? number(value) : value;
      const cell = d3.select(this).text(null);
      (link && at === 0 ? cell.append("a").attr("href", link(value)) : cell).text(text);
    });
}

// The first press sorts up, the second down, the third as in the file.
const next = (order, name) => (order?.[0] !== name ? [name, "ascending"] : order[1] === "ascending" ? [name, "descending"] : null);

const number = (value) => (Number.isInteger(value) ? String(value) : String(+value.toPrecision(10)));
