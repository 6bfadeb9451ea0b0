// Controls: what a picture shows, the generation asked about, and light or dark.

import { ask } from "./ask.js";
import { element, make } from "./elements.js";
import { does, go } from "./state.js";

const DEEPEST = 12;

/** Return the controls of a picture. */
export function controls(state) {
  return make("div", { class: "controls", role: "toolbar", "aria-label": "Picture" },
    choice("Direction", "dir", [["both", "Both"], ["upstream", "Lineage"], ["downstream", "Impact"]], state),
    choice("Group by", "by", [["table", "Table"], ["op", "Op"], ["module", "Module"], ["set", "Set"]], state),
    depth(state));
}

function choice(name, field, values, state) {
  const buttons = values.map(([value, text]) => make("button", {
    type: "button", "aria-pressed": String(state[field] === value), "data-value": value,
    ...does({ [field]: value, open: [] }),
  }, text));
  return make("div", { class: "choice", role: "group", "aria-label": name, id: `choose-${field}` },
    make("span", { class: "soft", "aria-hidden": "true" }, name), ...buttons);
}

function depth(state) {
  const text = (value) => (value >= DEEPEST ? "any depth" : `${value} ${value === 1 ? "hop" : "hops"}`);
  const now = Math.min(Number(state.depth ?? DEEPEST), DEEPEST);
  const shown = make("output", {}, text(now));
  const slider = make("input", {
    type: "range", id: "depth", min: 1, max: DEEPEST, value: now, "aria-label": "Depth", "aria-valuetext": text(now),
    oninput: () => {
      shown.textContent = text(Number(slider.value));
      slider.setAttribute("aria-valuetext", shown.textContent);
    },
    onchange: () => go({ depth: Number(slider.value) >= DEEPEST ? "" : slider.value }),
  });
  return make("label", { class: "depth" }, make("span", { class: "soft" }, "Depth"), slider, shown);
}

/** Let people choose a generation, by its number or by a time. */
export async function startAsOf() {
  const field = element("as-of");
  field.addEventListener("change", () => go({ as_of: field.value.trim() }));
  const found = await ask("generations").catch(() => []);
  element("as-of-list").replaceChildren(...found.slice(-200).reverse().map((each) =>
    make("option", { value: each.generation }, `${each.time.slice(0, 16).replace("T", " ")} ${each.change ?? ""}`)));
}

const THEME = "provhouse theme";

/** Use the chosen colours, or those of the system. */
export function startTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (localStorage.getItem(THEME) ?? (dark.matches ? "dark" : "light")) === "dark";
  const show = () => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    element("theme").textContent = isDark() ? "Light" : "Dark";
  };
  element("theme").addEventListener("click", () => {
    localStorage.setItem(THEME, isDark() ? "light" : "dark");
    show();
  });
  dark.addEventListener("change", show);
  show();
}
