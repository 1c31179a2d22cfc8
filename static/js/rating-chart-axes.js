// The axes of the rating graph: how far they reach, and where their ticks are.
import { dayOf } from "rating-chart-layers";

const DAY = 86_400_000;
const number = new Intl.NumberFormat("en");
const shortDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const month = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", timeZone: "UTC" });

// The band of a newcomer is wide: it may leave the picture, the line may not.
export function boundsOf(points) {
  const ratings = points.map((point) => point.rating);
  const [least, most] = [Math.min(...ratings), Math.max(...ratings)];
  const last = points[points.length - 1];
  const margin = Math.max(0.35 * (most - least), 1.5 * (last.high - last.low) / 2, 20);
  // Without a band the line itself keeps off the frame.
  const edge = Math.max(10, 0.04 * (most - least));
  const span = last.at - points[0].at;
  const side = Math.max(0.02 * span, span ? DAY : 15 * DAY);
  return {
    low: Math.max(Math.min(...points.map((point) => point.low)) - edge, least - margin),
    high: Math.min(Math.max(...points.map((point) => point.high)) + edge, most + margin),
    from: points[0].at - side,
    to: last.at + side,
  };
}

export function timeAxis({ from, to }, colours) {
  return {
    type: "linear", min: from, max: to, grid: { display: false }, border: { color: colours.rule },
    afterBuildTicks: (axis) => { axis.ticks = timeTicks(from, to, Math.floor(axis.width / 80)); },
    ticks: { color: colours.faint, maxRotation: 0, autoSkip: false, callback: (value, index, ticks) => ticks[index].label },
  };
}

export function ratingAxis({ low, high }, colours) {
  const ticks = { color: colours.faint, maxTicksLimit: 7, includeBounds: false, callback: (value) => number.format(value) };
  return { min: low, max: high, grid: { color: colours.rule, lineWidth: 0.5 }, border: { display: false }, ticks };
}

// Ticks at round years, months or days: as many as have room.
function timeTicks(min, max, room) {
  const days = (max - min) / DAY / Math.max(1, room);
  if (days > 180) return yearTicks(min, max, [1, 2, 5, 10, 20, 50].find((step) => step * 365 >= days) ?? 100);
  if (days > 20) return monthTicks(min, max, [1, 2, 3, 6].find((step) => step * 30 >= days) ?? 6);
  const step = [1, 2, 7, 14, 28].find((length) => length >= days) ?? 28;
  const ticks = [];
  for (let at = Math.ceil(min / DAY) * DAY; at <= max; at += step * DAY) {
    ticks.push({ value: at, label: ticks.length ? shortDay.format(at) : dayOf(at) });
  }
  return ticks;
}

function yearTicks(min, max, step) {
  const ticks = [];
  const first = Math.ceil(new Date(min).getUTCFullYear() / step) * step;
  for (let year = first; Date.UTC(year, 0) <= max; year += step) {
    if (Date.UTC(year, 0) >= min) ticks.push({ value: Date.UTC(year, 0), label: String(year) });
  }
  return ticks;
}

function monthTicks(min, max, step) {
  const ticks = [];
  const start = new Date(min);
  for (let n = Math.ceil(start.getUTCMonth() / step) * step; ; n += step) {
    const at = Date.UTC(start.getUTCFullYear(), n);
    if (at > max) return ticks;
    if (at >= min) ticks.push({ value: at, label: month.format(at) });
  }
}
