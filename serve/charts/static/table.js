// The table of the first selected records.

export function showRecords(columns, values) {
  const numeric = values.map((of) => {
    const known = of.filter((value) => value !== null);
    return known.length > 0 && known.every((value) => typeof value === "number");
  });
  const table = d3.select("#records");
  const kind = (_, at) => (numeric[at] ? "number" : null);
  table.selectAll("thead").data([columns]).join("thead").selectAll("tr").data([columns]).join("tr")
    .selectAll("th").data(columns).join("th").attr("scope", "col").attr("class", kind).text((name) => name);
  const rows = d3.transpose(values);
  table.selectAll("tbody").data([rows]).join("tbody").selectAll("tr").data(rows).join("tr")
    .selectAll("td").data((row) => row).join("td")
    .attr("class", (value, at) => [kind(value, at), value === null ? "null" : null].filter(Boolean).join(" ") || null)
    .text((value) => (value === null ? "NULL" : typeof value === "number" ? number(value) : value));
}

const number = (value) => (Number.isInteger(value) ? String(value) : String(+value.toPrecision(10)));
