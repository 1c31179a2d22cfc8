// The parts of the rating graph: the band of one standard deviation, performances, the line, and a dot for each contest.
import { inView, lineOf, parts, spare } from "chart-visible";
import { drawBand, drawPerformances } from "rating-chart-around";

// With more contests in view, long careers show the moving average of the band.
const EXACT_BAND = 60;

export function ratingLines(picture) {
  const heights = picture.points.map((point) => point.rating);
  const moments = picture.look.axis === "date" ? picture.points.map((point) => point.at) : null;
  const marked = [...picture.points.keys()].filter((index) => ["amended", "reached", "won"].some((mark) => picture.points[index][mark]));
  const line = lineOf(picture.xs, heights, moments, new Set([picture.peak, ...marked]));
  return {
    id: "ratingLines",
    beforeDatasetsDraw(chart) {
      const { ctx, chartArea: area, scales } = chart;
      const { min, max } = scales.x;
      const width = area.right - area.left;
      const visible = inView(line, min, max, width);
      const drawn = spare(line, visible, min, max, width);
      const x = (index) => scales.x.getPixelForValue(picture.xs[index]);
      const isWide = visible.length > EXACT_BAND;
      const y = (index, name = "rating") => {
        const point = picture.points[index];
        return scales.y.getPixelForValue((isWide && point.mean?.[name]) || point[name]);
      };
      const pen = { ...picture, ctx, area, drawn, x, y, apart: width / visible.length };
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

// Dashed where it leads to a provisional rating.
function drawLine({ ctx, drawn, points, x, y, colours, apart }) {
  ctx.strokeStyle = colours.ink;
  ctx.lineWidth = apart > 4 ? 1.75 : apart > 2.5 ? 1.25 : 1;
  ctx.lineJoin = ctx.lineCap = "round";
  for (const run of runsOf(drawn, points)) {
    const isProvisional = points[run.at(-1)].provisional;
    ctx.setLineDash(isProvisional ? [4, 4] : []);
    for (const part of isProvisional ? [run] : parts(run)) {
      ctx.beginPath();
      for (const index of part) ctx.lineTo(x(index), y(index));
      ctx.stroke();
    }
  }
  ctx.setLineDash([]);
}

// Sections of the line that are provisional throughout or not at all, each from the end of the previous one.
function runsOf(drawn, points) {
  const runs = [[drawn[0]]];
  for (const [place, index] of drawn.entries()) {
    if (!place) continue;
    const run = runs.at(-1);
    if (run.length > 1 && Boolean(points[run.at(-1)].provisional) !== Boolean(points[index].provisional)) runs.push([run.at(-1)]);
    runs.at(-1).push(index);
  }
  return runs;
}

// In the colour of the tier; hollow while provisional. None where they would touch each other on average. By date, some
// are closer than others: these are small and without the outline, which would cover the line.
function drawDots({ ctx, drawn, points, x, y, colours, colourOf, apart }) {
  if (apart < 4) return;
  const distance = (one, other) => (other === undefined ? Infinity : Math.hypot(x(one) - x(other), y(one) - y(other)));
  ctx.lineWidth = 1.5;
  for (const [place, index] of drawn.entries()) {
    const point = points[index];
    const isAlone = Math.min(apart, distance(index, drawn[place - 1]), distance(index, drawn[place + 1])) > 9;
    ctx.beginPath();
    ctx.arc(x(index), y(index), isAlone ? 4 : 2.25, 0, 2 * Math.PI);
    ctx.fillStyle = point.provisional ? colours.page : colourOf(point);
    ctx.strokeStyle = point.provisional ? colourOf(point) : colours.page;
    ctx.fill();
    if (point.provisional || isAlone) ctx.stroke();
  }
}
