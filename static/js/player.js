// The player page: draw the graph, and again whenever its colours change.
import { createRatingChart } from "rating-chart";
import { followKeys } from "rating-chart-keys";
import { isDark } from "theme-switch";

const figure = document.querySelector("[data-chart]");
const canvas = figure.querySelector("canvas");
const content = JSON.parse(document.getElementById("chart").textContent);
const still = matchMedia("(prefers-reduced-motion: reduce)").matches || content.points.length > 200;

let chart = createRatingChart(canvas, content, { dark: isDark(), animate: !still });

function redraw(dark) {
  chart.destroy();
  chart = createRatingChart(canvas, content, { dark, animate: false });
}

document.addEventListener("themechange", () => redraw(isDark()));
addEventListener("beforeprint", () => redraw(false));
addEventListener("afterprint", () => redraw(isDark()));

followKeys(canvas, () => chart, content.points, figure.querySelector("[data-chart-status]"));
