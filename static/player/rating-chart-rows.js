// From a point of the graph to its row of the history: on this page, or on the page of the table that has it.
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

export function goToRow(point, { row, page }) {
  const id = row.replace("{id}", point.id);
  const found = document.getElementById(id);
  if (!found) {
    location.assign(page.replaceAll("{id}", point.id));
    return;
  }
  // The address names the row, so that it is marked by :target and the browser's Back button returns to the graph.
  location.hash = id;
  found.tabIndex = -1;
  found.focus({ preventScroll: true });
  found.scrollIntoView({ block: "center", behavior: STILL.matches ? "auto" : "smooth" });
}
