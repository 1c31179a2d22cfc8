// Tiers behind a graph: each a band of its colour, named beside it, or inside it where there is no room beside.
import { FONT, clear, pageColours } from "chart-colours";

const WIDE = 560;
const LONGEST = 110;

// Width of the names to the right of the graph.
export function roomForTiers(chart, tiers) {
  if (chart.width < WIDE) return 8;
  chart.ctx.font = `12px ${FONT}`;
  return 12 + Math.min(LONGEST, Math.max(...tiers.map((tier) => chart.ctx.measureText(tier.name).width)));
}

export function tierBands(tiers, dark) {
  return {
    id: "tierBands",
    beforeDatasetsDraw(chart) {
      const { ctx } = chart;
      ctx.save();
      ctx.font = `12px ${FONT}`;
      ctx.textBaseline = "middle";
      tiers.forEach((tier, index) => drawBand(chart, tier, tiers[index + 1], dark));
      ctx.restore();
    },
  };
}

function drawBand({ ctx, width, chartArea: area, scales }, tier, next, dark) {
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
  const [left, middle] = isBeside ? [area.right + 8, (from + to) / 2] : [area.left + 5, from + 9];
  ctx.lineWidth = isBeside ? 0.01 : 3;
  ctx.strokeStyle = clear(page, 0.7);
  ctx.strokeText(tier.name, left, middle, LONGEST);
  ctx.fillStyle = colour;
  ctx.fillText(tier.name, left, middle, LONGEST);
}
