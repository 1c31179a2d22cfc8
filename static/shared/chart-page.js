// The common behaviour of all graphs on a page: draw them, redraw them when their look changes, handle wheel and keys.
import { followControls } from "chart-controls";
import { followKeys } from "chart-keys";
import { createTip } from "chart-tip";
import { followWheel } from "chart-zoom";
import { isDark } from "theme-switch";

// The distance in pixels at which a click still hits a point.
const REACH = 28;

// `draw(look, events)` makes the chart; `tipOf(index, look, touches)`, `describe(index)` and `open(index)` are of a point of its
// first data set; `rangeOf(name, chart)` of a range with a button; `hidden` names the layers that are off at first.
export function startGraph(figure, { draw, tipOf, describe, open, rangeOf, hidden = [] }) {
  const canvas = figure.querySelector("canvas");
  const tip = createTip(figure.querySelector(".chart-frame"));
  let look = { axis: "date", dark: isDark(), hidden: new Set(hidden) };
  let [touches, touched, pointerY, controls] = [false, null, 0, null];
  const events = { moved: () => controls.moved(), started: tip.hide, pointed, clicked };
  let chart = draw(canvas, look, events);
  const chartNow = () => chart;
  const everything = () => chart.options.plugins.zoom.limits.x;

  // Of contests that ended at the same moment, the one whose point is nearer.
  const nearest = (items, y) => items.toSorted((one, other) => Math.abs(one.element.y - y) - Math.abs(other.element.y - y))[0];

  function pointed({ tooltip }) {
    if (!tooltip.opacity || !tooltip.dataPoints?.length) return tip.hide();
    const item = nearest(tooltip.dataPoints, pointerY);
    const { x, y } = item.element;
    return tip.show(x, y, item.dataIndex, () => tipOf(item.dataIndex, look, touches));
  }

  // The first tap shows the numbers of a point, the second one opens its row, at any height, as the numbers promise.
  function clicked(event, hits) {
    if (touches) return hits.some(({ index }) => index === touched) && open(touched);
    const hit = nearest(hits, event.y);
    return hit && Math.hypot(hit.element.x - event.x, hit.element.y - event.y) <= REACH && open(hit.index);
  }

  function redraw(changes) {
    const { min, max } = chart.scales.x;
    const isWhole = !chart.isZoomedOrPanned();
    const xs = chart.data.datasets[0].data.map(({ x }) => x);
    const isOther = changes.axis && changes.axis !== look.axis;
    look = { ...look, ...changes };
    chart.destroy();
    tip.hide();
    chart = draw(canvas, look, events);
    if (!isWhole) chart.zoomScale("x", isOther ? translated(xs, min, max) : { min, max }, "none");
    controls.moved();
  }

  // Keep the same contests visible when the axis changes.
  function translated(xs, min, max) {
    const inside = xs.flatMap((x, index) => (x >= min && x <= max ? [index] : []));
    if (inside.length < 2) return { min: everything().min, max: everything().max };
    const { data } = chart.data.datasets[0];
    return around(data[inside[0]].x, data[inside.at(-1)].x);
  }

  // Touch has no pointer that leaves the graph: the next tap is elsewhere.
  document.addEventListener("pointerdown", ({ target }) => {
    if (target === canvas || !chart.getActiveElements().length) return;
    chart.setActiveElements([]);
    chart.tooltip.setActiveElements([], { x: 0, y: 0 });
    chart.update("none");
  });
  canvas.addEventListener("pointermove", ({ offsetY }) => { pointerY = offsetY; });
  canvas.addEventListener("pointerdown", ({ pointerType, offsetY }) => {
    touches = pointerType === "touch";
    touched = tip.shown();
    pointerY = offsetY;
  });
  controls = followControls(figure, {
    chartNow, look: () => look, changed: redraw, rangeOf: (name) => (name === "all" ? everything() : rangeOf(name, chart)),
  });
  followWheel(canvas, chartNow);
  followKeys(canvas, { chartNow, everything, describe, open, status: figure.querySelector("[data-chart-status]") });
  document.addEventListener("themechange", () => redraw({ dark: isDark() }));
  addEventListener("beforeprint", () => redraw({ dark: false, paper: true }));
  addEventListener("afterprint", () => redraw({ dark: isDark(), paper: false }));
  figure.dataset.ready = "";
}

// A range with a little room on both sides.
export const around = (from, to) => ({ min: from - 0.03 * (to - from), max: to + 0.03 * (to - from) });
