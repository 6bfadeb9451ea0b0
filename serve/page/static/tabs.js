// The tabs of the page, by the name of their view. Charts are a page of their own.

export const TABS = {
  explore: "Lineage", path: "Path", "what-if": "What if", changes: "Changes", charts: "Charts", runs: "Runs", revisions: "Revisions",
  browser: "Neo4j",
};
