// The lines of a comparison: players differ by colour, dashes and the shape of their points.
import { countAxis, dateAxis, DAY, inUtc, ratingAxis, reachOf } from "chart-axes";
import { pageColours } from "chart-colours";
import { createChart } from "chart-base";
import { tierBands } from "chart-tiers";
import { firstFrom, inView, lineOf, parts, seen, spare } from "chart-visible";

export function createCompareChart(canvas, { contests, players, tiers }, anchors, look, events) {
  const isDate = look.axis === "date";
  const colours = pageColours(look.dark);
  const place = (at, index) => (isDate ? inUtc(at) : index + 1);
  const at = ({ contest }) => contests[contest].at;
  const lines = players.map(({ points, line }, number) => ({
    ...lineOf(
      points.map((point, index) => place(at(point), index)), points.map((point) => point.rating), isDate ? points.map(at) : null,
    ),
    dash: line.dash, shape: new Path2D(line.shape), colour: line[look.dark ? "dark" : "light"], number,
  })).filter(({ number, xs }) => xs.length && !look.hidden.has(String(number)));
  const xs = anchors.map(({ at }, index) => place(at, index));
  const tops = anchors.map(({ ratings }) => Math.max(...ratings.filter((rating) => rating !== null)));
  const reach = reachOf(xs, isDate ? DAY : 1);
  const inSight = lines.length ? lines : [{ xs, heights: tops }];
  return createChart(canvas, {
    data: xs.map((x, index) => ({ x, y: tops[index] })),
    scales: {
      x: (isDate ? dateAxis : countAxis)(reach, colours),
      y: ratingAxis((min, max) => fit(inSight, min, max), colours),
    },
    drawn: [tierBands(tiers, look.dark, null, lines), { id: "compareLines", beforeDatasetsDraw: (chart) => draw(chart, lines, xs, colours) }],
    tiers, reach, events, look,
  });
}

function fit(lines, min, max) {
  const inSight = lines.flatMap(({ xs, heights }) => {
    const [first, last] = seen(xs, min, max);
    return heights.slice(first, last + 1);
  });
  const [least, most] = [Math.min(...inSight), Math.max(...inSight)];
  const edge = 0.08 * (most - least) + 10;
  return [least - edge, most + edge];
}

function draw(chart, lines, xs, colours) {
  const { ctx, chartArea: area, scales } = chart;
  const [active] = chart.getActiveElements();
  ctx.save();
  ctx.beginPath();
  ctx.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
  ctx.clip();
  if (active) {
    ctx.fillStyle = colours.strong;
    ctx.fillRect(Math.round(active.element.x), area.top, 1, area.bottom - area.top);
  }
  ctx.lineJoin = "round";
  for (const line of lines) drawLine(ctx, line, scales, area.right - area.left, colours, active && xs[active.index]);
  ctx.restore();
}

function drawLine(ctx, line, { x, y }, width, colours, looked) {
  const { xs, heights } = line;
  const drawn = spare(line, inView(line, x.min, x.max, width), x.min, x.max, width);
  const at = (index) => [x.getPixelForValue(xs[index]), y.getPixelForValue(heights[index])];
  ctx.strokeStyle = line.colour;
  ctx.lineWidth = 2;
  ctx.setLineDash(line.dash);
  // Separate paths would restart the dash pattern.
  for (const part of line.dash.length ? [drawn] : parts(drawn)) {
    ctx.beginPath();
    for (const index of part) ctx.lineTo(...at(index));
    ctx.stroke();
  }
  ctx.setLineDash([]);
  // Only some points have a shape, at a minimum distance, so that shapes do not hide a long line; the newest point
  // always has one.
  let free = Infinity;
  for (const index of drawn.toReversed()) {
    const [left, top] = at(index);
    if (left > free) continue;
    free = left - 26;
    drawShape(ctx, line, left, top, 1, colours.page);
  }
  const here = looked === undefined ? -1 : firstFrom(xs, looked);
  if (here >= 0 && xs[here] === looked) drawShape(ctx, line, ...at(here), 1.6, colours.ink);
}

function drawShape(ctx, { shape, colour }, left, top, size, rim) {
  ctx.save();
  ctx.translate(left, top);
  ctx.scale(size, size);
  ctx.fillStyle = colour;
  ctx.strokeStyle = rim;
  ctx.lineWidth = 1.25;
  ctx.fill(shape);
  ctx.stroke(shape);
  ctx.restore();
}
