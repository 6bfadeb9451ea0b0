// The page: it logs in, and shows the view that its address names.

import { browser } from "./browser.js";
import { changes } from "./changes.js";
import { element, make, problem, say } from "./elements.js";
import { explore, exploreEarly } from "./explore.js";
import { warm } from "./layout.js";
import { leave, loggedIn, showForm } from "./login.js";
import { showPanel } from "./panel.js";
import { path } from "./path.js";
import { revisions } from "./revisions.js";
import { runs } from "./runs.js";
import { searchFor, startSearch } from "./search.js";
import { start as startView } from "./start.js";
import { chartsOf, go, link, onState, state } from "./state.js";
import { TABS } from "./tabs.js";
import { startAsOf, startTheme } from "./tools.js";
import { whatIf } from "./what_if.js";

const VIEWS = { explore, path, "what-if": whatIf, changes, runs, revisions, browser };
const NEEDS_ITEM = ["explore"];
let turn = 0;
let started = false;

async function show(now) {
  const mine = ++turn;
  const still = () => mine === turn;
  const shown = Object.hasOwn(VIEWS, now.view) ? now.view : "explore";
  const [name, view] = [TABS[shown], VIEWS[shown]];
  element("as-of").value = now.as_of ?? "";
  document.title = `${now.item ?? name} – provhouse`;
  element("title").textContent = now.item && NEEDS_ITEM.includes(now.view) ? now.item : name;
  element("views").replaceChildren(...Object.entries(TABS).map(([key, text]) => make("a", {
    href: key in VIEWS ? link({ view: key }) : chartsOf(now), "aria-current": key === now.view ? "page" : null, "data-view": key,
    onclick: (event) => {
      if (!(key in VIEWS)) return;
      event.preventDefault();
      go({ view: key });
    },
  }, text)));
  element("view").setAttribute("aria-busy", "true");
  const panel = showPanel(now);
  try {
    await (NEEDS_ITEM.includes(now.view) && !now.item ? startView : view)(now, element("view"), still);
  } catch (error) {
    if (still()) wrong(error, now);
  }
  if (still()) {
    showTab(element("views"));
    element("view").setAttribute("aria-busy", "false");
    element("view").dataset.shown = location.hash;
  }
  await panel;
}

/** Scroll the tabs to the current one, which takes a layout of the page. */
function showTab(tabs) {
  const now = tabs.querySelector("[aria-current]");
  if (now) tabs.scrollLeft = now.offsetLeft - (tabs.clientWidth - now.offsetWidth) / 2;
}

function wrong(error, { item }) {
  if (error.status === 401) {
    started = false;
    showForm(start, error);
    return;
  }
  say("");
  const search = make("button", { type: "button", onclick: () => searchFor(item) }, "Search similar names");
  element("view").replaceChildren(problem(error), ...(error.status === 404 && item ? [search] : []));
}

function start() {
  element("login").hidden = true;
  element("app").hidden = false;
  if (!started) {
    started = true;
    onState(show, (next) => next.view === "explore" && next.item && exploreEarly(next));
    startSearch();
    element("leave").addEventListener("click", () => leave(start));
  }
  startAsOf();
  performance.mark("asked");
  show(state());
  (window.requestIdleCallback ?? setTimeout)(warm);
}

startTheme();
loggedIn(start);
