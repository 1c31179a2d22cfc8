// Axes of the graphs: dates in the page's language and in UTC, contest numbers, and ratings that fit the visible part.
import { dateWith, language, written } from "chart-words";

export const DAY = 86_400_000;
const SIZE = 12;

const formats = {
  day: new Intl.DateTimeFormat(language, { day: "numeric", month: "short" }),
  month: new Intl.DateTimeFormat(language, { month: "short", year: "numeric" }),
  year: new Intl.DateTimeFormat(language, { year: "numeric" }),
};
const UNITS = { hour: "day", day: "day", week: "day", month: "month", quarter: "month", year: "year" };

// The adapter only knows English and this browser's time zone.
Chart._adapters._date.override({ format: (time, unit) => dateWith(formats[unit] ?? formats.day, time) });

// Shift a moment so that this browser's calendar shows its day in UTC, which is the day that pages write.
export const inUtc = (at) => at + new Date(at).getTimezoneOffset() * 60_000;

const common = (colours) => ({ grid: { display: false }, border: { color: colours.strong } });

export function dateAxis({ from, to }, colours) {
  // Measuring the labels of all days in a year takes longer than the rest of a frame, so only some are measured. A
  // month with its year is longer than a day, so labels get more room.
  const ticks = {
    color: colours.soft, font: { size: SIZE }, maxRotation: 0, sampleSize: 8, autoSkipPadding: 44, major: { enabled: true },
  };
  return { ...common(colours), type: "time", min: from, max: to, time: { minUnit: "day", displayFormats: UNITS }, ticks };
}

export function countAxis({ from, to }, colours) {
  const ticks = {
    color: colours.soft, font: { size: SIZE }, maxRotation: 0, autoSkipPadding: 18, precision: 0, includeBounds: false,
    callback: (value) => (Number.isInteger(value) && value > 0 ? written(value) : ""),
  };
  return { ...common(colours), type: "linear", min: from, max: to, ticks };
}

// `fit` returns the lowest and highest rating for the visible part of the other axis, from `min` to `max`.
export function ratingAxis(fit, colours) {
  return {
    bounds: "data", border: { display: false }, grid: { color: colours.rule, lineWidth: 1, drawTicks: false },
    ticks: { color: colours.soft, font: { size: SIZE }, autoSkip: false, padding: 6, callback: written },
    afterDataLimits(axis) {
      const { x } = axis.chart.options.scales;
      [axis.min, axis.max] = fit(x.min, x.max);
    },
    afterBuildTicks(axis) { axis.ticks = roundNumbers(axis.min, axis.max, Math.max(2, axis.height / 55)); },
    // A fixed width, so that the graph does not shift while it is moved.
    afterFit(axis) { axis.width = 50; },
  };
}

// As many round numbers as there is room for. The ends of the axis need not be round.
function roundNumbers(min, max, room) {
  const rough = (max - min) / room;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, power * [1, 2, 5, 10].find((factor) => factor * power >= rough));
  const ticks = [];
  for (let value = Math.ceil(min / step) * step; value <= max; value += step) ticks.push({ value });
  return ticks;
}

// The range of the axis: all points, with a little room at both ends.
export function reachOf(xs, least) {
  const [first, last] = [xs[0], xs[xs.length - 1]];
  const side = last > first ? Math.max(0.02 * (last - first), Math.min(least, 0.05 * (last - first))) : 15 * least;
  return { from: first - side, to: last + side, least: 4 * least };
}
