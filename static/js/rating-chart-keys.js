// The graph by keyboard: arrows move from contest to contest, Enter goes to its row, + and − zoom, 0 shows everything.
import { dayOf, filled, signed, written } from "chart-words";
import { panBy, showRange, zoomBy } from "chart-zoom";
import { notesOf } from "rating-chart-tip";

const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
const ZOOMS = { "+": 1.5, "=": 1.5, "-": 1 / 1.5, "−": 1 / 1.5 };

export function followKeys(canvas, content, { chartNow, everything, open, status }) {
  const { points } = content;
  let at = null;

  function show(index) {
    at = index;
    const chart = chartNow();
    const active = index === null ? [] : [{ datasetIndex: 0, index }];
    if (index !== null) bringIntoSight(chart, index);
    const place = index === null ? { x: 0, y: 0 } : chart.getDatasetMeta(0).data[index].getCenterPoint();
    chart.setActiveElements(active);
    chart.tooltip.setActiveElements(active, place);
    chart.update("none");
    status.textContent = index === null ? "" : describe(index);
  }

  function bringIntoSight(chart, index) {
    const { min, max } = chart.scales.x;
    const { x } = chart.data.datasets[0].data[index];
    if (x >= min && x <= max) return;
    const from = x < min ? x - 0.1 * (max - min) : x - 0.9 * (max - min);
    chart.zoomScale("x", { min: from, max: from + max - min }, "none");
  }

  function describe(index) {
    const point = points[index];
    const said = filled(content.words.at, {
      number: index + 1, total: points.length, contest: point.contest, day: dayOf(point.at), place: written(point.place),
      field: written(point.of), rating: written(point.rating), change: signed(point.change),
    });
    const performed = point.performance === null ? [] : [filled(content.words.performed, { performance: written(point.performance) })];
    return [said, ...performed, ...notesOf(point, content)].join(", ");
  }

  canvas.addEventListener("keydown", (event) => {
    const chart = chartNow();
    const step = STEPS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && at !== null) open(points[at]);
    else if (event.key === "Escape") show(null);
    else if (event.key === "0") showRange(chart, everything());
    else if (ZOOMS[event.key]) zoomBy(chart, ZOOMS[event.key], at === null ? undefined : chart.getDatasetMeta(0).data[at].x);
    else if (event.shiftKey && Math.abs(step) === 1) panBy(chart, 0.2 * step);
    else if (step !== undefined) show(Math.min(points.length - 1, Math.max(0, (at ?? points.length - (step < 0 ? 0 : 1)) + step)));
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("blur", () => show(null));
}
