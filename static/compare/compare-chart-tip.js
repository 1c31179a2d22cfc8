// The tooltip of a comparison: each player's rating at one time, highest first.
import { dayOf, element, filled, written } from "chart-words";
import { changeOf, placeOf } from "rating-chart-tip";

// The stops of the pointer. On the axis of dates these are contests; otherwise each player's first contest, second
// contest, and so on. `points` has each player's point at the stop, or null if `ratings` is from an earlier contest.
export function anchorsOf({ contests, players, words }, axis) {
  if (axis === "number") {
    const most = Math.max(...players.map((player) => player.points.length));
    return Array.from({ length: most }, (_, index) => ({
      name: filled(words.after, { number: written(index + 1) }), day: "", points: players.map(({ points }) => points[index] ?? null),
      ratings: players.map(({ points }) => points[index]?.rating ?? null),
    }));
  }
  const next = players.map(() => 0);
  return contests.map((contest, position) => {
    const points = players.map((player, index) => {
      const point = player.points[next[index]];
      if (point?.contest !== position) return null;
      next[index] += 1;
      return point;
    });
    // Before the first and after the last contest of a player there is no line either.
    const ratings = players.map(({ points: all }, index) =>
      (points[index] || next[index] < all.length ? all[next[index] - 1]?.rating ?? null : null));
    return { ...contest, day: dayOf(contest.at), points, ratings };
  });
}

const inOrder = ({ ratings }, hidden) =>
  ratings.flatMap((rating, index) => (rating === null || hidden.has(String(index)) ? [] : [index]))
    .sort((one, other) => ratings[other] - ratings[one]);

export function tipOf(anchor, { players, words }, { dark, hidden }) {
  const rows = inOrder(anchor, hidden).map((index) => {
    const { name, line } = players[index];
    const point = anchor.points[index];
    const rating = element("b", "", written(anchor.ratings[index]));
    rating.style.color = line[dark ? "dark" : "light"];
    const result = point ? [changeOf(point), element("span", "", placeOf(point, words))] : ["–", ""].map((text) => element("span", "", text));
    return element("div", point ? "" : "is-absent", rating, element("bdi", "", name), ...result);
  });
  const head = [element("strong", "", element("bdi", "", anchor.name)), element("span", "", anchor.day)];
  return [...head, element("div", "chart-tip-players", ...rows)];
}

export function sentenceOf(index, anchors, { players, words }) {
  const anchor = anchors[index];
  const head = filled(words.moment, { number: index + 1, total: anchors.length, contest: anchor.name, day: anchor.day });
  const rows = inOrder(anchor, new Set()).map((each) =>
    filled(words.one, { player: players[each].name, rating: written(anchor.ratings[each]) }));
  return [head, ...rows].join(", ");
}
