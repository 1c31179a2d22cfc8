// The surroundings of the line in the rating graph: the band of one standard deviation, and performances.
import { clear } from "chart-colours";

// In pixels.
const CLOSE = 4;

// From contest to contest, ending at whole pixels so that there are no seams. Where contests are close, a step looks
// the same as a slope, and browsers without a graphics card draw it in a tenth of the time.
export function drawBand({ ctx, drawn, x, y, colours, look }) {
  ctx.fillStyle = clear(colours.ink, look.dark ? 0.14 : 0.1);
  const corners = drawn.map((index) => [Math.round(x(index)), y(index, "high"), y(index, "low")]);
  // The band of a single contest needs a width too.
  if (corners.length === 1) {
    const [[middle, ...edges]] = corners;
    corners.splice(0, 1, [middle - 8, ...edges], [middle + 8, ...edges]);
  }
  for (let place = 1; place < corners.length; place += 1) {
    const [[left, high, low], [right, nextHigh, nextLow]] = [corners[place - 1], corners[place]];
    if (right - left < CLOSE) {
      const top = Math.round((high + nextHigh) / 2);
      ctx.fillRect(left, top, right - left, Math.round((low + nextLow) / 2) - top);
      continue;
    }
    ctx.beginPath();
    ctx.moveTo(left, high);
    ctx.lineTo(right, nextHigh);
    ctx.lineTo(right, nextLow);
    ctx.lineTo(left, low);
    ctx.fill();
  }
}

// Small crosses, or dots where they are crowded; those beyond the frame become arrows at its edge.
export function drawPerformances({ ctx, area, drawn, x, y, colours, apart }) {
  const size = apart > 7 ? 3 : 2;
  const colour = clear(colours.faint, apart > 2.5 ? 0.85 : 0.6);
  ctx.fillStyle = colour;
  ctx.beginPath();
  for (const index of drawn) {
    const [left, height] = [x(index), y(index, "performance")];
    const way = height < area.top ? 1 : height > area.bottom ? -1 : 0;
    const edge = way > 0 ? area.top + 2 : area.bottom - 2;
    if (way) polyline(ctx, [left - 3, edge + 4 * way], [left, edge], [left + 3, edge + 4 * way]);
    else if (apart < 2.5) ctx.fillRect(Math.round(left) - 1, Math.round(height) - 1, 2, 2);
    else {
      polyline(ctx, [left - size, height - size], [left + size, height + size]);
      polyline(ctx, [left + size, height - size], [left - size, height + size]);
    }
  }
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.stroke();
}

function polyline(ctx, first, ...others) {
  ctx.moveTo(...first);
  for (const point of others) ctx.lineTo(...point);
}
