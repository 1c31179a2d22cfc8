// What the rating graph consists of: the band of one deviation, performances, the line, and a dot for each contest.
import { clear } from "chart-colours";
import { seen, spare } from "chart-visible";

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

function drawBand({ ctx, drawn, x, y, colours, look }) {
  ctx.beginPath();
  for (const index of drawn) ctx.lineTo(x(index), y(index, "high"));
  for (const index of drawn.toReversed()) ctx.lineTo(x(index), y(index, "low"));
  ctx.closePath();
  ctx.fillStyle = clear(colours.ink, look.dark ? 0.14 : 0.1);
  ctx.fill();
}

// Small crosses; those beyond the frame become arrows at its edge.
function drawPerformances({ ctx, area, drawn, x, y, colours, apart }) {
  const size = apart > 7 ? 3 : apart > 2.5 ? 2 : 1.25;
  ctx.beginPath();
  for (const index of drawn) {
    const [left, height] = [x(index), y(index, "performance")];
    if (height < area.top || height > area.bottom) {
      const [edge, way] = height < area.top ? [area.top + 2, 1] : [area.bottom - 2, -1];
      ctx.moveTo(left - 3, edge + 4 * way);
      ctx.lineTo(left, edge);
      ctx.lineTo(left + 3, edge + 4 * way);
    } else {
      ctx.moveTo(left - size, height - size);
      ctx.lineTo(left + size, height + size);
      ctx.moveTo(left + size, height - size);
      ctx.lineTo(left - size, height + size);
    }
  }
  ctx.strokeStyle = clear(colours.faint, apart > 2.5 ? 0.85 : 0.5);
  ctx.lineWidth = 1;
  ctx.stroke();
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
