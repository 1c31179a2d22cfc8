// Marks on the rating graph: amended contests, tiers reached for the first time, and the active point.
import { FONT, clear } from "chart-colours";

// In pixels.
const NARROW = 420;

export function ratingMarks(picture) {
  const amended = positions(picture.points, (point) => point.amended !== undefined);
  const reached = positions(picture.points, (point) => point.reached || point.won);
  return {
    id: "ratingMarks",
    afterDatasetsDraw(chart) {
      const { ctx } = chart;
      ctx.save();
      drawReached(chart, picture, reached);
      for (const index of amended) drawAmended(chart, picture, index);
      for (const { index } of chart.getActiveElements()) drawLookedAt(chart, picture, index);
      ctx.restore();
    },
  };
}

const positions = (points, is) => points.flatMap((point, index) => (is(point) ? [index] : []));

function pixelOf({ chartArea: area, scales }, { xs, points }, index) {
  const [x, y] = [scales.x.getPixelForValue(xs[index]), scales.y.getPixelForValue(points[index].rating)];
  return x < area.left - 1 || x > area.right + 1 ? null : [x, y];
}

// At the foot of the graph, below the line: a tier that was reached, or the first win. Where names would overlap, only
// the later one keeps its name; where even symbols would overlap, it has no mark. Narrow graphs have symbols alone.
function drawReached(chart, picture, reached) {
  const { ctx, chartArea: area } = chart;
  ctx.font = `600 12px ${FONT}`;
  ctx.textBaseline = "bottom";
  let free = area.right + 4;
  for (const index of reached.toReversed()) {
    const at = pixelOf(chart, picture, index);
    const texts = textsOf(picture, picture.points[index], area.right - area.left < NARROW);
    const text = at && texts.find((each) => Math.min(at[0], area.right - ctx.measureText(each).width - 6) + ctx.measureText(each).width + 8 < free);
    if (!text) continue;
    const left = Math.min(at[0], area.right - ctx.measureText(text).width - 6);
    const colour = picture.colourOf(picture.points[index]);
    ctx.strokeStyle = clear(colour, 0.6);
    ctx.lineWidth = 1;
    ctx.setLineDash([2, 3]);
    ctx.beginPath();
    ctx.moveTo(Math.round(at[0]) + 0.5, at[1] + 6);
    ctx.lineTo(Math.round(at[0]) + 0.5, area.bottom);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillStyle = colour;
    ctx.strokeStyle = picture.colours.page;
    ctx.lineWidth = 3;
    ctx.strokeText(text, left + 4, area.bottom - 3);
    ctx.fillText(text, left + 4, area.bottom - 3);
    free = left;
  }
}

function textsOf({ tiers, words }, point, isNarrow) {
  const tier = tiers[point.tier];
  if (!point.reached) return isNarrow ? [] : [words.won];
  return isNarrow ? [tier.symbol] : [`${tier.symbol} ${tier.name}`, tier.symbol];
}

// A square around the point: its results were changed after they had been rated.
function drawAmended(chart, picture, index) {
  const at = pixelOf(chart, picture, index);
  if (!at) return;
  chart.ctx.strokeStyle = picture.colours.warn;
  chart.ctx.lineWidth = 1.75;
  chart.ctx.strokeRect(at[0] - 6.5, at[1] - 6.5, 13, 13);
}

function drawLookedAt(chart, picture, index) {
  const at = pixelOf(chart, picture, index);
  if (!at) return;
  const { ctx, chartArea: area } = chart;
  ctx.strokeStyle = picture.colours.strong;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(at[0], area.top);
  ctx.lineTo(at[0], area.bottom);
  ctx.stroke();
  ctx.beginPath();
  ctx.arc(at[0], at[1], 6, 0, 2 * Math.PI);
  ctx.fillStyle = picture.colourOf(picture.points[index]);
  ctx.strokeStyle = picture.colours.ink;
  ctx.lineWidth = 2;
  ctx.fill();
  ctx.stroke();
}
