// A graph by keyboard: arrows move from contest to contest, Enter opens it, + and − zoom, 0 resets the view.
import { panBy, showRange, zoomBy } from "chart-zoom";

const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
const ZOOMS = { "+": 1.5, "=": 1.5, "-": 1 / 1.5, "−": 1 / 1.5 };

// `describe` and `open` take the position of a point in the chart's first data set; a live region reads the description.
export function followKeys(canvas, { chartNow, everything, describe, open, status }) {
  let at = null;
  const data = () => chartNow().data.datasets[0].data;
  const element = (index) => chartNow().getDatasetMeta(0).data[index];

  function show(index) {
    at = index;
    const chart = chartNow();
    if (index !== null) bringIntoSight(chart, data()[index].x);
    const active = index === null ? [] : [{ datasetIndex: 0, index }];
    chart.setActiveElements(active);
    chart.tooltip.setActiveElements(active, index === null ? { x: 0, y: 0 } : element(index).getCenterPoint());
    chart.update("none");
    status.textContent = index === null ? "" : describe(index);
  }

  function bringIntoSight(chart, x) {
    const { min, max } = chart.scales.x;
    if (x >= min && x <= max) return;
    const from = x < min ? x - 0.1 * (max - min) : x - 0.9 * (max - min);
    chart.zoomScale("x", { min: from, max: from + max - min }, "none");
  }

  function step(by) {
    const last = data().length - 1;
    show(Math.min(last, Math.max(0, (at ?? (by < 0 ? last + 1 : last)) + by)));
  }

  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = STEPS[event.key];
    if (event.key === "Enter" && at !== null) open(at);
    else if (event.key === "Escape") show(null);
    else if (event.key === "0") showRange(chartNow(), everything());
    else if (ZOOMS[event.key]) zoomBy(chartNow(), ZOOMS[event.key], at === null ? undefined : element(at).x);
    else if (event.shiftKey && Math.abs(by) === 1) panBy(chartNow(), 0.2 * by);
    else if (by !== undefined) step(by);
    else return;
    event.preventDefault();
  });
  // Firefox does not scroll to what is in sight in part, and the keys that would scroll move along the graph.
  canvas.addEventListener("focus", () => {
    if (canvas.matches(":focus-visible")) canvas.scrollIntoView({ block: "nearest" });
  });
  canvas.addEventListener("blur", () => show(null));
}
