"use strict";
// An answer with folded modules. The page has a picture of each view; a click on a module shows another.

const element = (id) => document.getElementById(id);
const main = document.querySelector("main");
const views = new Map([...main.querySelectorAll("section")].map((one) => [one.dataset.folded, one]));
const buttons = [...element("modules").children];
const every = buttons.map((_, at) => at);
const key = (folded) => every.filter((at) => folded.has(at)).join(" ");
let folded = new Set(main.dataset.begin.split(" ").filter(Boolean).map(Number));

function show(now, what = "") {
  folded = now;
  views.forEach((view, of) => (view.hidden = of !== key(now)));
  buttons.forEach((button, at) => {
    button.setAttribute("aria-expanded", String(!now.has(at)));
    button.textContent = `${now.has(at) ? "▸" : "▾"} ${button.dataset.module}`;
  });
  const frame = views.get(key(now)).querySelector(".picture");
  const [asked, { left, width }] = [frame.querySelector("[data-asked]"), frame.getBoundingClientRect()];
  if (asked) frame.scrollLeft += asked.getBoundingClientRect().right - left - width + 20;
  element("said").textContent = `${what}${views.get(key(now)).getAttribute("aria-label")}.`;
}

// A page with many modules lacks most combinations of them: then only this module is unfolded.
function toggle(at) {
  const wanted = new Set(folded);
  if (!wanted.delete(at)) wanted.add(at);
  const now = views.has(key(wanted)) ? wanted : new Set(every.filter((one) => one !== at));
  show(now, `${buttons[at].dataset.module} ${now.has(at) ? "folded" : "unfolded"}: `);
}

// A box of a module, or of one of its invocations, is a button that unfolds the module.
function arm(box) {
  const at = buttons.findIndex((button) => button.dataset.module === box.dataset.module);
  const unfold = () => {
    toggle(at);
    buttons[at].focus();
  };
  box.setAttribute("role", "button");
  box.setAttribute("tabindex", 0);
  box.setAttribute("aria-label", `Unfold ${box.dataset.module}`);
  box.addEventListener("click", unfold);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    unfold();
  });
}

function save() {
  const text = new XMLSerializer().serializeToString(views.get(key(folded)).querySelector("svg"));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  link.download = "view.svg";
  link.click();
  URL.revokeObjectURL(link.href);
}

main.querySelectorAll("svg").forEach((one) => one.setAttribute("role", "group"));
main.querySelectorAll("g[data-module]").forEach(arm);
buttons.forEach((button, at) => button.addEventListener("click", () => toggle(at)));
element("fold-all").addEventListener("click", () => show(new Set(every)));
element("unfold-all").addEventListener("click", () => show(new Set()));
element("save").addEventListener("click", save);
element("fold-all").hidden = element("unfold-all").hidden = !every.length;
show(folded);
