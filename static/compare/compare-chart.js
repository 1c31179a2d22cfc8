// The graph of a comparison: the ratings of up to eight players in one picture.
import { startGraph } from "chart-page";
import { createCompareChart } from "compare-chart-lines";
import { anchorsOf, sentenceOf, tipOf } from "compare-chart-tip";

const figure = document.querySelector("[data-compare]");
const content = JSON.parse(document.getElementById("compare-chart")?.textContent ?? "null");
if (figure && content?.contests.length) start();

function start() {
  let [axis, anchors] = [null, []];
  startGraph(figure, {
    draw(canvas, look, events) {
      if (axis !== look.axis) [axis, anchors] = [look.axis, anchorsOf(content, look.axis)];
      return createCompareChart(canvas, content, anchors, look, events);
    },
    tipOf: (index, look) => tipOf(anchors[index], content, look),
    describe: (index) => sentenceOf(index, anchors, content),
    open: (index) => anchors[index].url && location.assign(anchors[index].url),
  });
}
