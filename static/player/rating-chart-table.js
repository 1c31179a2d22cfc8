// The data of the graph as a table, made when it is opened, because a long one is larger than the page.
import { dayOf, element, signed, written } from "chart-words";
import { notesOf } from "rating-chart-tip";

export function followTable(details, content) {
  details.addEventListener("toggle", () => {
    const room = details.querySelector("[data-chart-rows]");
    if (details.open && !room.hasChildNodes()) room.append(tableOf(content, details.querySelector("summary").textContent));
  });
}

function tableOf(content, caption) {
  const { words, tiers, points, hasPerformance } = content;
  const columns = [
    [words.contest, "", (point) => linked(point, content)],
    [words.date, "num", (point) => dayOf(point.at)],
    [words.placeOf, "num", (point) => words.outcomes[point.outcome] ?? `${written(point.place)} / ${written(point.of)}`],
    ...(hasPerformance ? [[words.performance, "num", (point) => written(point.performance)]] : []),
    [words.rating, "num", (point) => written(point.rating)],
    [words.change, "num", (point) => signed(point.change)],
    [words.tier, "", (point) => `${tiers[point.tier].symbol} ${tiers[point.tier].name}`],
    [words.notes, "", (point) => notesOf(point, content).join(", ")],
  ];
  const head = element("tr", "", ...columns.map(([name, kind]) => cell("th", kind, "col", name)));
  const rows = points.toReversed().map((point) =>
    element("tr", "", ...columns.map(([, kind, write], index) =>
      index ? element("td", kind, write(point)) : cell("th", kind, "row", write(point)))));
  const title = element("caption", "visually-hidden", caption);
  return element("table", "table", title, element("thead", "", head), element("tbody", "", ...rows));
}

function cell(name, kind, scope, content) {
  const made = element(name, kind, content);
  made.scope = scope;
  return made;
}

function linked(point, { addresses }) {
  const link = element("a", "", point.contest);
  link.href = addresses.contest.replace("{id}", point.id);
  return element("bdi", "", link);
}
