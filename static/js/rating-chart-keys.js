// The graph by keyboard: arrows move from contest to contest, Enter opens one; a live region says what is shown.
import { dayOf, signed } from "rating-chart-layers";

const number = new Intl.NumberFormat("en");
const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };

export function followKeys(canvas, chartNow, points, status) {
  let at = null;

  function show(index) {
    at = index;
    const chart = chartNow();
    const active = index === null ? [] : [{ datasetIndex: 2, index }];
    const place = index === null ? { x: 0, y: 0 } : chart.getDatasetMeta(2).data[index].getCenterPoint();
    chart.setActiveElements(active);
    chart.tooltip.setActiveElements(active, place);
    chart.update("none");
    status.textContent = index === null ? "" : describe(points[index], index, points.length);
  }

  canvas.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && at !== null) location.assign(points[at].url);
    if (event.key === "Escape") show(null);
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const from = at ?? points.length - (step < 0 ? 0 : 1);
    show(Math.min(points.length - 1, Math.max(0, from + step)));
  });
  canvas.addEventListener("blur", () => show(null));
}

function describe(point, index, total) {
  return (
    `${index + 1} of ${total}: ${point.contest}, ${dayOf(point.at)}, place ${number.format(point.place)} of ` +
    `${number.format(point.of)}, rating ${number.format(point.rating)}, change ${signed(point.change)}`
  );
}
