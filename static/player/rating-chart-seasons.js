// Behind the rating graph: every other season a little darker, to show where each season begins.
import { clear } from "chart-colours";
import { inUtc } from "chart-axes";
import { firstFrom } from "chart-visible";

export function seasonShades({ seasons, points, xs, look, colours }) {
  const moments = points.map((point) => point.at);
  // By contest, a season begins halfway between its first contest and the one before.
  const starts = seasons.map((at) => (look.axis === "date" ? inUtc(at) : firstFrom(moments, at) + 0.5));
  return {
    id: "seasonShades",
    beforeDatasetsDraw({ ctx, chartArea: area, scales }) {
      ctx.fillStyle = clear(colours.ink, look.dark ? 0.07 : 0.045);
      const edges = [...starts, xs.at(-1) + (scales.x.max - scales.x.min)];
      for (let season = 1; season + 1 < edges.length; season += 2) {
        const [left, right] = [edges[season], edges[season + 1]].map((x) =>
          Math.min(area.right, Math.max(area.left, scales.x.getPixelForValue(x))));
        if (right > left) ctx.fillRect(left, area.top, right - left, area.bottom - area.top);
      }
    },
  };
}
