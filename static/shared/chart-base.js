// The base of all rating graphs: one data set of points that respond to the pointer; plug-ins draw the rest.
import { FONT } from "chart-colours";
import { roomForTiers } from "chart-tiers";
import { zoomOptions } from "chart-zoom";

// Size on a sheet of paper, in screen pixels.
const PAPER = [720, 340];
Chart.defaults.font.family = FONT;

// `look.paper`: for a printer, which needs a fixed size and a higher resolution than the screen.
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
  // A canvas keeps the font in use when it was drawn; a chart that has been replaced has no canvas.
  if (document.fonts.status === "loading") document.fonts.ready.then(() => chart.canvas && chart.update());
  return chart;
}
