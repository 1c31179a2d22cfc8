// Tiers behind a graph: each a band of its colour, named beside it, or inside it where there is no room beside.
import { FONT, clear, pageColours } from "chart-colours";

const WIDE = 560;
const LONGEST = 110;
// The room of the label above a point: to both sides, and from its foot to its head.
const LABEL = { side: 100, foot: 7, head: 31 };

// Width of the names to the right of the graph.
export function roomForTiers(chart, tiers) {
  if (chart.width < WIDE) return 8;
  chart.ctx.font = `12px ${FONT}`;
  return 12 + Math.min(LONGEST, Math.max(...tiers.map((tier) => chart.ctx.measureText(tier.name).width)));
}

// `labelled` is a point with a label above it, if any; `lines` replace those of the data sets (`xs` and `heights`).
export function tierBands(tiers, dark, labelled = null, lines = null) {
  return {
    id: "tierBands",
    beforeDatasetsDraw(chart) {
      const { ctx } = chart;
      ctx.save();
      ctx.font = `12px ${FONT}`;
      ctx.textBaseline = "middle";
      tiers.forEach((tier, index) => drawBand(chart, tier, tiers[index + 1], dark, labelled, lines));
      ctx.restore();
    },
  };
}

// Whether a segment has a point inside a box; false for segments with a missing end.
function crosses([fromAcross, fromDown], [across, down], { left, right, top, bottom }) {
  let [enter, leave] = [0, 1];
  for (const [from, length, low, high] of [
    [fromAcross, across - fromAcross, left, right], [fromDown, down - fromDown, top, bottom],
  ]) {
    if (length === 0) {
      if (from <= low || from >= high) return false;
    } else {
      const [first, last] = [(low - from) / length, (high - from) / length].sort((one, other) => one - other);
      [enter, leave] = [Math.max(enter, first), Math.min(leave, last)];
    }
  }
  return enter <= leave;
}

// The left end of a name inside a graph, below `top`: at the side where no line or label is under it, or null.
function freeSide({ chartArea: area, scales, data }, width, top, labelled, lines) {
  const sides = [area.left + 5, area.right - 5 - Math.min(LONGEST, width)];
  const place = (x, y) => [scales.x.getPixelForValue(x), scales.y.getPixelForValue(y)];
  const drawn = lines
    ? lines.map(({ xs, heights }) => xs.map((x, index) => place(x, heights[index])))
    : data.datasets.map((set) => set.data.map(({ x, y }) => place(x, y)));
  const isUnder = (left) => {
    const box = { left: left - 6, right: left + width + 6, top: top - 4, bottom: top + 22 };
    return drawn.some((line) => line.some((point, index) => crosses(line[Math.max(0, index - 1)], point, box)));
  };
  const isUnderLabel = ({ x, y }, left) => {
    const [across, down] = place(x, y);
    const isAbove = down - LABEL.foot > top - 4 && down - LABEL.head < top + 22;
    return isAbove && across > left - LABEL.side && across < left + width + LABEL.side;
  };
  return sides.find((left) => !isUnder(left) && !(labelled && isUnderLabel(labelled, left))) ?? null;
}

function drawBand(chart, tier, next, dark, labelled, lines) {
  const { ctx, width, chartArea: area, scales } = chart;
  const { page } = pageColours(dark);
  const bottom = tier.from === null ? area.bottom : scales.y.getPixelForValue(tier.from);
  const from = Math.max(area.top, next ? scales.y.getPixelForValue(next.from) : area.top);
  const to = Math.min(area.bottom, bottom);
  if (to - from < 1) return;
  const colour = dark ? tier.dark : tier.light;
  ctx.fillStyle = clear(colour, dark ? 0.16 : 0.12);
  ctx.fillRect(area.left, from, area.right - area.left, to - from);
  ctx.fillStyle = clear(colour, 0.7);
  if (tier.from !== null && bottom < area.bottom) ctx.fillRect(area.left, bottom - 0.5, area.right - area.left, 1);
  // Inside, the name stays above the marks of tiers reached, and readable where the line crosses it.
  const isBeside = width >= WIDE;
  if (to - from < (isBeside || to < area.bottom ? 15 : 36)) return;
  const inside = isBeside ? 0 : freeSide(chart, ctx.measureText(tier.name).width, from, labelled, lines);
  if (inside === null) return;
  const [left, middle] = isBeside ? [area.right + 8, (from + to) / 2] : [inside, from + 9];
  ctx.lineWidth = isBeside ? 0.01 : 3;
  ctx.strokeStyle = clear(page, 0.7);
  ctx.strokeText(tier.name, left, middle, LONGEST);
  ctx.fillStyle = colour;
  ctx.fillText(tier.name, left, middle, LONGEST);
}
