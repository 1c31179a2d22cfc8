// What stands around the line of the rating graph: the band of one deviation, and performances.
import { clear } from "chart-colours";

export function drawBand({ ctx, drawn, x, y, colours, look }) {
  // That of a single contest has to have a width, too.
  const [left, right] = drawn.length > 1 ? [x, x] : [(index) => x(index) - 8, (index) => x(index) + 8];
  ctx.beginPath();
  ctx.moveTo(left(drawn[0]), y(drawn[0], "low"));
  for (const index of drawn) ctx.lineTo(left(index), y(index, "high"));
  for (const index of drawn.toReversed()) ctx.lineTo(right(index), y(index, drawn.length > 1 ? "low" : "high"));
  ctx.lineTo(right(drawn[0]), y(drawn[0], "low"));
  ctx.closePath();
  ctx.fillStyle = clear(colours.ink, look.dark ? 0.14 : 0.1);
  ctx.fill();
}

// Small crosses, in crowds dots; those beyond the frame become arrows at its edge.
export function drawPerformances({ ctx, area, drawn, x, y, colours, apart }) {
  const size = apart > 7 ? 3 : 2;
  ctx.beginPath();
  for (const index of drawn) {
    const [left, height] = [x(index), y(index, "performance")];
    const way = height < area.top ? 1 : height > area.bottom ? -1 : 0;
    const edge = way > 0 ? area.top + 2 : area.bottom - 2;
    if (way) polyline(ctx, [left - 3, edge + 4 * way], [left, edge], [left + 3, edge + 4 * way]);
    else if (apart < 2.5) ctx.rect(left - 0.5, height - 0.5, 1, 1);
    else {
      polyline(ctx, [left - size, height - size], [left + size, height + size]);
      polyline(ctx, [left + size, height - size], [left - size, height + size]);
    }
  }
  ctx.strokeStyle = clear(colours.faint, apart > 2.5 ? 0.85 : 0.6);
  ctx.lineWidth = 1;
  ctx.stroke();
}

function polyline(ctx, first, ...others) {
  ctx.moveTo(...first);
  for (const point of others) ctx.lineTo(...point);
}
