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

// `labelled` is a point with a label above it, if any.
export function tierBands(tiers, dark, labelled = null) {
  return {
    id: "tierBands",
    beforeDatasetsDraw(chart) {
      const { ctx } = chart;
      ctx.save();
      ctx.font = `12px ${FONT}`;
      ctx.textBaseline = "middle";
      tiers.forEach((tier, index) => drawBand(chart, tier, tiers[index + 1], dark, labelled));
      ctx.restore();
    },
  };
}

// The left end of a name inside a graph, below `top`: at the side where no line or label is under it, or null.
function freeSide({ chartArea: area, scales, data }, width, top, labelled) {
  const sides = [area.left + 5, area.right - 5 - Math.min(LONGEST, width)];
  const place = ({ x, y }) => [scales.x.getPixelForValue(x), scales.y.getPixelForValue(y)];
  // Whether the line from the point before it, which may be steep, crosses the name: sampled every few pixels.
  const isCrossed = (set, index, left) => {
    const [across, down] = place(set.data[index]);
    const [fromAcross, fromDown] = place(set.data[set.showLine === false ? index : Math.max(0, index - 1)]);
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(across - fromAcross), Math.abs(down - fromDown)) / 8));
    return Array.from({ length: steps }, (_, step) => (step + 1) / steps).some((share) => {
      const [x, y] = [fromAcross + share * (across - fromAcross), fromDown + share * (down - fromDown)];
      return x > left - 6 && x < left + width + 6 && y > top - 4 && y < top + 22;
    });
  };
  const isUnderLabel = ({ x, y }, left) => {
    const [across, down] = [scales.x.getPixelForValue(x), scales.y.getPixelForValue(y)];
    const isAbove = down - LABEL.foot > top - 4 && down - LABEL.head < top + 22;
    return isAbove && across > left - LABEL.side && across < left + width + LABEL.side;
  };
  const isTaken = (left) => (labelled && isUnderLabel(labelled, left))
    || data.datasets.some((set) => set.data.some((_, index) => isCrossed(set, index, left)));
  return sides.find((left) => !isTaken(left)) ?? null;
}

function drawBand(chart, tier, next, dark, labelled) {
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
  const inside = isBeside ? 0 : freeSide(chart, ctx.measureText(tier.name).width, from, labelled);
  if (inside === null) return;
  const [left, middle] = isBeside ? [area.right + 8, (from + to) / 2] : [inside, from + 9];
  ctx.lineWidth = isBeside ? 0.01 : 3;
  ctx.strokeStyle = clear(page, 0.7);
  ctx.strokeText(tier.name, left, middle, LONGEST);
  ctx.fillStyle = colour;
  ctx.fillText(tier.name, left, middle, LONGEST);
}
