// What all graphs of ratings have in common: one data set of points that answer the pointer; plug-ins draw the rest.
import { FONT } from "chart-colours";
import { roomForTiers } from "chart-tiers";
import { zoomOptions } from "chart-zoom";

// As wide and high as fits on a sheet of paper, in pixels of the screen.
const PAPER = [720, 340];
Chart.defaults.font.family = FONT;

// `look.paper`: for a printer, which neither asks for another size later nor is content with the screen's dots.
export function createChart(canvas, { data, scales, tiers, reach, events, drawn, look, annotation = {} }) {
  const chart = new Chart(canvas, {
    type: "line",
    data: { datasets: [{ data }] },
    options: {
      animation: false, responsive: !look.paper, ...(look.paper && { devicePixelRatio: 3 }), maintainAspectRatio: false, parsing: false, normalized: true,
      showLine: false, pointRadius: 0, pointHoverRadius: 0, pointHitRadius: 0,
      interaction: { mode: "nearest", axis: "x", intersect: false },
      layout: { padding: ({ chart }) => ({ top: 8, right: roomForTiers(chart, tiers) }) },
      onClick: (event, elements) => events.clicked(event, elements),
      scales,
      plugins: {
        legend: { display: false },
        tooltip: { enabled: false, external: events.pointed },
        zoom: zoomOptions(reach, events),
        annotation,
      },
    },
    plugins: drawn,
  });
  if (look.paper) chart.resize(...PAPER);
  // What is on a canvas stays in the font of the moment; a chart that was replaced meanwhile has no canvas.
  if (document.fonts.status === "loading") document.fonts.ready.then(() => chart.canvas && chart.update());
  return chart;
}
