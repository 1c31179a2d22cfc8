// The page of a player: the rating graph, its points linked with the rows of the history, its numbers as a table.
import { around, startGraph } from "chart-page";
import { createRatingChart } from "rating-chart";
import { goToRow } from "rating-chart-rows";
import { followTable } from "rating-chart-table";
import { sentenceOf, tipOf } from "rating-chart-tip";

const YEAR = 365 * 86_400_000;
const BACK = { year: YEAR, years: 3 * YEAR };

const figure = document.querySelector("[data-chart]");
const content = JSON.parse(document.getElementById("chart")?.textContent ?? "null");
if (figure && content?.points.length) start(content.points);

function start(points) {
  startGraph(figure, {
    draw: (canvas, look, events) => createRatingChart(canvas, content, look, events),
    tipOf: (index, { dark }, touches) => tipOf(points[index], content, dark, content.words[touches ? "open" : "click"]),
    describe: (index) => sentenceOf(index, content),
    open: (index) => goToRow(points[index], content.addresses),
    rangeOf,
    hidden: content.isLong ? ["performance"] : [],
  });
  followTable(figure.querySelector(".chart-numbers"), content);
}

// The newest contests: the last ten, or those within some years before the last one; at least two.
function rangeOf(name, chart) {
  const { data } = chart.data.datasets[0];
  const last = data.length - 1;
  const since = content.points[last].at - BACK[name];
  const first = name === "ten" ? last - 9 : content.points.findIndex((point) => point.at >= since);
  return around(data[Math.min(first, last - 1)].x, data[last].x);
}
