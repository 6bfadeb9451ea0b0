// The head and the foot of a view's card: what it shows, and how it is changed.

const HOWS = {
  number: [["", "automatic"], ["20", "20 ranges"], ["100", "100 ranges"], ["log", "by logarithm"], ["clip", "without tails"]],
  date: [["", "automatic"], ["day", "by day"], ["month", "by month"], ["year", "by year"]],
  text: [["", "automatic"], ["10", "10 values"], ["100", "100 values"], ["1000", "1,000 values"]],
};

/** Add the head of a view to its card. `acts` has clear, zoom and remove. */
export function addHead(card, view, acts) {
  const head = card.append("div").attr("class", "head");
  head.append("h2").attr("title", view.name).text(view.axes.map((axis) => axis.column).join(" × "));
  head.append("span").attr("class", "brush");
  const button = (name, text, label, call) => head.append("button").attr("type", "button").attr("class", name)
    .attr("aria-label", `${label} ${view.name}`).attr("title", label).text(text).on("click", call);
  button("clear", "clear", "Clear the brush of", acts.clear).attr("hidden", true);
  button("zoom", "zoom", "Divide only the brush of", acts.zoom).attr("hidden", true);
  button("remove", "×", "Remove the view of", acts.remove);
}

/** Add the foot of a view to its card. `divide` is called with another way to divide the column. */
export function addFoot(card, view, divide) {
  const foot = card.append("div").attr("class", "foot");
  if (view.axes.length === 1) choice(foot, view, divide);
  foot.append("span").attr("class", "from");
}

function choice(foot, view, call) {
  const kind = view.how.includes(",") ? "number" : view.axes[0].kind;
  const known = HOWS[kind].some(([how]) => how === view.how);
  const options = known ? HOWS[kind] : [...HOWS[kind], [view.how, view.how]];
  foot.append("select").attr("class", "how").attr("aria-label", `Divide ${view.name}`)
    .on("change", (event) => call(event.target.value))
    .selectAll("option").data(options).join("option").attr("value", ([how]) => how)
    .attr("selected", ([how]) => (how === view.how ? true : null)).text(([, text]) => text);
}

/** Return the span of a brush of numbers, as `--by` has it, or null if it cannot be divided. */
export function span(view, ranges) {
  const [axis] = view.axes;
  if (view.axes.length > 1 || axis.kind !== "number" || !ranges) return null;
  const at = (bar) => axis.edges[bar - (axis.below ? 1 : 0)];
  const [low, high] = [at(ranges[0][0]), at(ranges[0][1])];
  return low === undefined || high === undefined ? null : `${low}..${high}`;
}

/** Return the bars of a view between its tails. */
export function within({ axes: [axis] }) {
  const end = axis.labels.length - (axis.missing ? 1 : 0) - (axis.above ? 1 : 0);
  return [[axis.below ? 1 : 0, end]];
}
