// The rating graph: the rating after each contest, one standard deviation around it, tiers behind it.
import { boundsOf, ratingAxis, timeAxis } from "rating-chart-axes";
import { dayOf, pageColours, signed, tierBands } from "rating-chart-layers";

const number = new Intl.NumberFormat("en");
// How far from a point, in pixels, a click still means it.
const REACH = 24;

export function createRatingChart(canvas, { points, tiers }, { dark, animate }) {
  const colours = pageColours(dark);
  const bounds = boundsOf(points);
  let touched = null;

  function open(event, elements) {
    const hit = elements.find(({ datasetIndex }) => datasetIndex === 2);
    if (!hit || Math.hypot(hit.element.x - event.x, hit.element.y - event.y) > REACH) return;
    const { index } = hit;
    // A finger sees the tooltip first; the second tap opens the contest.
    if (event.native.pointerType === "touch" && touched !== index) touched = index;
    else location.assign(points[index].url);
  }

  return new Chart(canvas, {
    type: "line",
    data: { datasets: datasetsOf(points, tiers, colours, dark) },
    options: {
      animation: animate ? { duration: 300 } : false,
      responsive: true,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      interaction: { mode: "nearest", axis: "x", intersect: false },
      onClick: open,
      scales: { x: timeAxis(bounds, colours), y: ratingAxis(bounds, colours) },
      plugins: { legend: { display: false }, tooltip: tooltipOf(points, colours) },
    },
    plugins: [tierBands(tiers, dark)],
  });
}

function datasetsOf(points, tiers, colours, dark) {
  const edge = { borderWidth: 0, pointRadius: 0, pointHitRadius: 0, pointHoverRadius: 0 };
  const line = (key) => points.map((point) => ({ x: point.at, y: point[key] }));
  const tierColours = points.map((point) => tiers[point.tier][dark ? "dark" : "light"]);
  const radius = points.length > 200 ? 0 : points.length > 60 ? 2 : 3.5;
  return [
    { ...edge, data: line("low") },
    { ...edge, data: line("high"), fill: "-1", backgroundColor: colours.band },
    {
      data: line("rating"), borderColor: colours.ink, borderWidth: points.length > 200 ? 1.25 : 1.75, borderJoinStyle: "round",
      pointRadius: radius, pointHoverRadius: 6, pointBackgroundColor: tierColours, pointBorderColor: colours.page,
      pointBorderWidth: radius > 2 ? 1.5 : 0, pointHoverBorderColor: colours.ink, pointHoverBorderWidth: 2,
    },
  ];
}

function tooltipOf(points, colours) {
  const short = (text) => (text.length > 44 ? `${text.slice(0, 43)}…` : text);
  return {
    filter: (item) => item.datasetIndex === 2, displayColors: false, padding: 10, cornerRadius: 6, caretPadding: 8,
    backgroundColor: colours.box, titleColor: colours.ink, bodyColor: colours.soft, borderColor: colours.faint, borderWidth: 1,
    callbacks: {
      title: ([item]) => (item ? short(points[item.dataIndex].contest) : ""),
      label: ({ dataIndex }) => {
        const point = points[dataIndex];
        return [
          `${dayOf(point.at)} · place ${number.format(point.place)} of ${number.format(point.of)}`,
          `Rating ${number.format(point.rating)} (${signed(point.change)})`,
          ...(point.performance === null ? [] : [`Performance ${number.format(point.performance)}`]),
        ];
      },
    },
  };
}
