// What the rating graph consists of: the band of one deviation, performances, the line, and a dot for each contest.
import { seen, spare } from "chart-visible";
import { drawBand, drawPerformances } from "rating-chart-around";

export function ratingLines(picture) {
  const heights = picture.points.map((point) => point.rating);
  return {
    id: "ratingLines",
    beforeDatasetsDraw(chart) {
      const { ctx, chartArea: area, scales } = chart;
      const { min, max } = scales.x;
      const width = area.right - area.left;
      const range = seen(picture.xs, min, max);
      const drawn = spare(picture.xs, heights, range, min, max, width);
      const x = (index) => scales.x.getPixelForValue(picture.xs[index]);
      const y = (index, name = "rating") => scales.y.getPixelForValue(picture.points[index][name]);
      const pen = { ...picture, ctx, area, drawn, x, y, apart: width / (range[1] - range[0] + 1) };
      ctx.save();
      ctx.beginPath();
      ctx.rect(area.left, area.top, width, area.bottom - area.top);
      ctx.clip();
      if (picture.hasBand && !picture.look.hidden.has("band")) drawBand(pen);
      if (picture.hasPerformance && !picture.look.hidden.has("performance")) drawPerformances(pen);
      drawLine(pen);
      drawDots(pen);
      ctx.restore();
    },
  };
}

// Dashed where the rating that it leads to is provisional.
function drawLine({ ctx, drawn, points, x, y, colours, apart }) {
  ctx.strokeStyle = colours.ink;
  ctx.lineWidth = apart > 4 ? 1.75 : 1.25;
  ctx.lineJoin = "round";
  for (const provisional of [false, true]) {
    ctx.beginPath();
    drawn.forEach((index, place) => {
      const before = drawn[Math.max(0, place - 1)];
      if (Boolean(points[index].provisional) !== provisional) return;
      if (place === 0 || Boolean(points[before].provisional) !== provisional) ctx.moveTo(x(before), y(before));
      ctx.lineTo(x(index), y(index));
    });
    ctx.setLineDash(provisional ? [4, 4] : []);
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

// In the colour of the tier; hollow while provisional. Where they would touch each other the line says it all.
function drawDots({ ctx, drawn, points, x, y, colours, colourOf, apart }) {
  if (apart < 4) return;
  const radius = apart > 9 ? 4 : 2.25;
  ctx.lineWidth = 1.5;
  for (const index of drawn) {
    const point = points[index];
    ctx.beginPath();
    ctx.arc(x(index), y(index), radius, 0, 2 * Math.PI);
    ctx.fillStyle = point.provisional ? colours.page : colourOf(point);
    ctx.strokeStyle = point.provisional ? colourOf(point) : colours.page;
    ctx.fill();
    if (point.provisional || radius > 3) ctx.stroke();
  }
}
