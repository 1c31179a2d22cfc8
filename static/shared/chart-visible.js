// The points of a graph that need drawing: the visible ones, and in crowds only as many as there are pixels.

const PART = 12;

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

// The positions to draw a line through. Where several points share a pixel: the first, the lowest, the highest, the last.
export function spare(xs, heights, [first, last], min, max, pixels) {
  const all = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  if (all.length <= 2 * pixels) return all;
  const kept = [];
  const column = (index) => Math.floor(((xs[index] - min) / (max - min)) * pixels);
  for (let start = first; start <= last; ) {
    let [end, low, high] = [start, start, start];
    while (end < last && column(end + 1) === column(start)) {
      end += 1;
      if (heights[end] < heights[low]) low = end;
      if (heights[end] > heights[high]) high = end;
    }
    kept.push(...new Set([start, Math.min(low, high), Math.max(low, high), end]));
    start = end + 1;
  }
  return kept;
}

// Parts of a line, each beginning where the previous one ends. Browsers without a graphics card draw parts much faster
// than one long path, because they compare all edges of a path with each other.
export function parts(positions) {
  if (positions.length < 2) return [positions];
  const count = Math.ceil((positions.length - 1) / PART);
  return Array.from({ length: count }, (_, part) => positions.slice(part * PART, (part + 1) * PART + 1));
}
