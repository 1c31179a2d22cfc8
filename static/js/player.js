// The page of a player: draw the graph, again whenever its look changes, and let it be used in every way.
import { goToRow } from "rating-chart-rows";
import { followControls } from "rating-chart-controls";
import { followKeys } from "rating-chart-keys";
import { followTable } from "rating-chart-table";
import { tipOf } from "rating-chart-tip";
import { createRatingChart } from "rating-chart";
import { createTip } from "chart-tip";
import { followWheel } from "chart-zoom";
import { isDark } from "theme-switch";

// How far from a point, in pixels, a click still means it.
const REACH = 28;

const figure = document.querySelector("[data-chart]");
const content = JSON.parse(document.getElementById("chart")?.textContent ?? "null");
if (figure && content?.points.length) start(figure.querySelector("canvas"));

function start(canvas) {
  const { points } = content;
  const tip = createTip(figure.querySelector(".chart-frame"));
  let look = { axis: "date", dark: isDark(), hidden: new Set() };
  let [touches, touched, controls] = [false, null, null];
  const events = { moved, started: tip.hide, pointed, clicked };
  let chart = createRatingChart(canvas, content, look, events);

  const everything = () => chart.options.plugins.zoom.limits.x;
  const chartNow = () => chart;
  const open = (point) => goToRow(point, content.addresses);

  function moved() {
    controls?.moved();
  }

  function pointed({ tooltip }) {
    const [item] = tooltip.opacity ? tooltip.dataPoints : [];
    if (!item) return tip.hide();
    const hint = touches ? content.words.open : content.words.click;
    return tip.show(item.element.x, item.element.y, item.dataIndex, () => tipOf(points[item.dataIndex], content, look.dark, hint));
  }

  // A finger sees the numbers first; the second tap goes to the row.
  function clicked(event, hit) {
    if (!hit || Math.hypot(hit.element.x - event.x, hit.element.y - event.y) > REACH) return;
    if (touches && touched !== hit.index) touched = hit.index;
    else open(points[hit.index]);
  }

  // The same contests stay in sight, whichever axis there is.
  function redraw(changes) {
    const { min, max } = chart.scales.x;
    const isWhole = !chart.isZoomedOrPanned();
    const old = chart.data.datasets[0].data.map(({ x }) => x);
    look = { ...look, ...changes };
    chart.destroy();
    tip.hide();
    chart = createRatingChart(canvas, content, look, events);
    if (!isWhole) chart.zoomScale("x", changes.axis ? translated(old, min, max) : { min, max }, "none");
    controls.moved();
  }

  function translated(old, min, max) {
    const inside = old.flatMap((x, index) => (x >= min && x <= max ? [index] : []));
    if (inside.length < 2) return { min: everything().min, max: everything().max };
    const { data } = chart.data.datasets[0];
    const [from, to] = [data[inside[0]].x, data[inside.at(-1)].x];
    return { min: from - 0.03 * (to - from), max: to + 0.03 * (to - from) };
  }

  canvas.addEventListener("pointerdown", ({ pointerType }) => { touches = pointerType === "touch"; });
  controls = followControls(figure, content, { chartNow, look: () => look, changed: redraw, everything });
  followWheel(canvas, chartNow);
  followKeys(canvas, content, { chartNow, everything, open, status: figure.querySelector("[data-chart-status]") });
  followTable(figure.querySelector("details"), content);
  document.addEventListener("themechange", () => redraw({ dark: isDark() }));
  addEventListener("beforeprint", () => redraw({ dark: false }));
  addEventListener("afterprint", () => redraw({ dark: isDark() }));
  figure.dataset.ready = "";
}
