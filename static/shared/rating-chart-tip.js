// The text about a contest in the rating graph: in the tooltip, and as a sentence for screen readers.
import { dayOf, element, filled, signed, written } from "chart-words";

export function tipOf(point, content, dark, hint) {
  const { words, tiers, hasBand } = content;
  const tier = tiers[point.tier];
  const rating = element("b", "", `${tier.symbol} ${written(point.rating)}`);
  rating.style.color = dark ? tier.dark : tier.light;
  const lines = [
    element("strong", "", element("bdi", "", point.contest)),
    element("span", "", `${dayOf(point.at)} · ${placeOf(point, words)}`),
    element("span", "chart-tip-rating", rating, " ", changeOf(point), ` · ${tier.name}`),
  ];
  if (point.performance !== null) {
    lines.push(element("span", "", `${words.performance} ${written(point.performance)}`));
  }
  if (hasBand) lines.push(element("span", "", filled(words.band, { low: written(point.low), high: written(point.high) })));
  lines.push(...notesOf(point, content).map((note) => element("em", "", note)));
  return [...lines, element("small", "", hint)];
}

export function changeOf({ change }) {
  return element("span", change > 0 ? "is-up" : change < 0 ? "is-down" : "", signed(change));
}

// A game is won, drawn or lost.
export const placeOf = (point, words) =>
  words.outcomes[point.outcome] ?? filled(words.place, { place: written(point.place), field: written(point.of) });

// The marks of a point in words.
export function notesOf(point, { words, tiers, peak, points }) {
  const notes = [];
  if (points[peak] === point && points.length > 1) notes.push(words.isPeak);
  if (point.reached) notes.push(filled(words.reached, { tier: tiers[point.tier].name }));
  if (point.won) notes.push(words.won);
  if (point.provisional) notes.push(words.provisional);
  if (point.amended !== undefined) notes.push(filled(words.amended, { day: dayOf(point.amended) }));
  return notes;
}

export function sentenceOf(index, content) {
  const { points, words } = content;
  const point = points[index];
  const said = filled(words.at, {
    number: index + 1, total: points.length, contest: point.contest, day: dayOf(point.at), result: placeOf(point, words),
    rating: written(point.rating), change: signed(point.change),
  });
  const performed = filled(words.performed, { performance: written(point.performance ?? 0) });
  return [said, ...(point.performance === null ? [] : [performed]), ...notesOf(point, content)].join(", ");
}
