// The points of a graph that need drawing: the visible ones, and in crowds only as many as there are pixels.
import { DAY } from "chart-axes";

const PART = 12;
// In pixels. By date, the contests of a narrower day would be on one vertical line.
const WIDE_DAY = 24;

// The points of a line. By date, `moments` are those of its points, and `marked` has those that the line never leaves out.
export function lineOf(xs, heights, moments, marked = new Set()) {
  const part = (at) => ({ at, xs: at.map((index) => xs[index]) });
  const all = Array.from(xs.keys());
  const day = (index) => Math.floor(moments[index] / DAY);
  const isKept = (index) => marked.has(index) || index === xs.length - 1 || day(index) !== day(index + 1);
  return { xs, heights, whole: part(all), daily: moments && part(all.filter(isKept)) };
}

// The positions of a line in view, with the neighbours that it leads to; of narrow days, only the last ones.
export function inView({ whole, daily }, min, max, pixels) {
  const { at, xs } = daily && (pixels * DAY) / (max - min) < WIDE_DAY ? daily : whole;
  const [first, last] = seen(xs, min, max);
  return at.slice(first, last + 1);
}

// The position of the first value that is not below `wanted`, in ascending values.
export function firstFrom(values, wanted) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

// First and last visible position from `min` to `max`, with the neighbours that lines lead to.
export function seen(xs, min, max) {
  const first = Math.max(0, firstFrom(xs, min) - 1);
  return [first, Math.max(first, Math.min(xs.length - 1, firstFrom(xs, max)))];
}

// The positions in view to draw a line through. Where several share a pixel: the first, the lowest, the highest, the last.
export function spare({ xs, heights }, positions, min, max, pixels) {
  if (positions.length <= 2 * pixels) return positions;
  const kept = [];
  const column = (place) => Math.floor(((xs[positions[place]] - min) / (max - min)) * pixels);
  const height = (place) => heights[positions[place]];
  for (let start = 0; start < positions.length; ) {
    let [end, low, high] = [start, start, start];
    while (end < positions.length - 1 && column(end + 1) === column(start)) {
      end += 1;
      if (height(end) < height(low)) low = end;
      if (height(end) > height(high)) high = end;
    }
    kept.push(...new Set([start, Math.min(low, high), Math.max(low, high), end]));
    start = end + 1;
  }
  return kept.map((place) => positions[place]);
}

// Parts of a line, each beginning where the previous one ends. Browsers without a graphics card draw parts much faster
// than one long path, because they compare all edges of a path with each other.
export function parts(positions) {
  if (positions.length < 2) return [positions];
  const count = Math.ceil((positions.length - 1) / PART);
  return Array.from({ length: count }, (_, part) => positions.slice(part * PART, (part + 1) * PART + 1));
}
