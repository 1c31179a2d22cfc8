// The rating graph of one player: a Chart whose points respond to the pointer; plug-ins draw lines and marks.
import { countAxis, dateAxis, DAY, inUtc, ratingAxis, reachOf } from "chart-axes";
import { pageColours } from "chart-colours";
import { createChart } from "chart-base";
import { tierBands } from "chart-tiers";
import { seen } from "chart-visible";
import { filled, written } from "chart-words";
import { ratingLines } from "rating-chart-lines";
import { ratingMarks } from "rating-chart-marks";
import { seasonShades } from "rating-chart-seasons";

// `look`: axis ("date" or "number"), dark, hidden (a set of layers).
export function createRatingChart(canvas, content, look, events) {
  const { tiers } = content;
  const points = content.isLong ? smoothed(content.points) : content.points;
  const xs = places(points, look.axis);
  const reach = reachOf(xs, look.axis === "date" ? DAY : 1);
  const colours = pageColours(look.dark);
  const picture = { ...content, points, xs, look, colours, colourOf: (point) => tiers[point.tier][look.dark ? "dark" : "light"] };
  return createChart(canvas, {
    data: points.map((point, index) => ({ x: xs[index], y: point.rating })),
    scales: {
      x: (look.axis === "date" ? dateAxis : countAxis)(reach, colours),
      y: ratingAxis((min, max) => fit(picture, min, max), colours),
    },
    annotation: { annotations: { peak: peakLabel(picture) }, animations: false },
    drawn: [tierBands(tiers, look.dark, peakOf(picture)), seasonShades(picture), ratingLines(picture), ratingMarks(picture)],
    tiers, reach, events, look,
  });
}

function places(points, axis) {
  if (axis === "number") return points.map((_, index) => index + 1);
  let last = -Infinity;
  // An hour repeats when a clock is put back; keep the order of contests.
  return points.map((point) => (last = Math.max(last, inUtc(point.at))));
}

// The same points with a second band as a moving average: where many contests are in view, jumps of the band hide the line.
function smoothed(points) {
  const side = Math.max(1, Math.round(points.length / 80));
  const mean = (name, place) => {
    const part = points.slice(Math.max(0, place - side), place + side + 1);
    return part.reduce((sum, point) => sum + point[name], 0) / part.length;
  };
  return points.map((point, place) => ({ ...point, mean: { low: mean("low", place), high: mean("high", place) } }));
}

// The lowest and the highest rating to show. Below the line is room for the marks of milestones. The band of a newcomer is wide and performances are far apart: they may
// leave the picture, the line may not.
function fit({ points, xs, look, hasBand, hasPerformance }, min, max) {
  const [first, last] = seen(xs, min, max);
  const part = points.slice(first, last + 1);
  const ratings = part.map((point) => point.rating);
  const [least, most] = [Math.min(...ratings), Math.max(...ratings)];
  const newest = part[part.length - 1];
  const margin = Math.max(0.25 * (most - least), 0.75 * (newest.high - newest.low), 20);
  // Conservative displays are lower than the whole band, whose newest part stays in the picture.
  const above = hasBand && newest.low > newest.rating ? newest.high + 20 - most : 0;
  const also = [];
  if (hasBand && !look.hidden.has("band")) also.push("low", "high");
  if (hasPerformance && !look.hidden.has("performance")) also.push("performance");
  const wanted = also.flatMap((name) => part.map((point) => point[name]));
  const edge = 0.12 * (most - least) + 10;
  const bottom = Math.min(least - 1.5 * edge, Math.max(Math.min(least, ...wanted) - 0.2 * edge, least - margin));
  const top = Math.max(most + 2.2 * edge, Math.min(Math.max(most, ...wanted) + 0.2 * edge, most + Math.max(margin, above)));
  // A single point far below its band would touch the frame.
  const room = 0.05 * (top - bottom);
  return [Math.min(bottom, least - room), above ? Math.max(top, newest.high + room) : top];
}

const peakOf = ({ points, peak, xs }) => (points.length > 1 ? { x: xs[peak], y: points[peak].rating } : null);

function peakLabel({ points, peak, words, xs, colours, colourOf }) {
  const point = points[peak];
  const label = filled(words.peak, { rating: written(point.rating) });
  const font = { size: 12, weight: "600" };
  // Near an edge, the label is on the inner side of the point.
  const side = ({ chart }) => {
    const { left, right } = chart.chartArea ?? {};
    const x = chart.scales.x?.getPixelForValue(xs[peak]);
    const half = widthOf(label, font, chart) / 2 + 8;
    return x > right - half ? "end" : x < left + half ? "start" : "center";
  };
  return {
    type: "label", display: points.length > 1, xValue: xs[peak], yValue: point.rating, yAdjust: -19, drawTime: "afterDatasetsDraw",
    position: (context) => ({ x: side(context), y: "center" }), content: label,
    color: colourOf(point), backgroundColor: colours.page, borderColor: colourOf(point), borderWidth: 1, borderRadius: 4,
    padding: { x: 6, y: 3 }, font,
  };
}

function widthOf(text, font, { ctx }) {
  ctx.save();
  ctx.font = `${font.weight} ${font.size}px ${Chart.defaults.font.family}`;
  const { width } = ctx.measureText(text);
  ctx.restore();
  return width;
}
