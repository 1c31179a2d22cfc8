// The buttons of the rating graph: ranges, axis, layers, closer and farther.
import { showRange, zoomBy } from "chart-zoom";

const YEAR = 365 * 86_400_000;
const BACK = { year: YEAR, years: 3 * YEAR };

// `chartNow`: the chart; `changed(changes)`: draw it anew with another look; `everything()`: the range of all points.
export function followControls(figure, content, { chartNow, look, changed, everything }) {
  const { points } = content;

  function rangeOf(name) {
    if (name === "all") return everything();
    const last = points.length - 1;
    const since = points[last].at - BACK[name];
    const first = name === "ten" ? points.length - 10 : points.findIndex((point) => point.at >= since);
    const { data } = chartNow().data.datasets[0];
    const [from, to] = [data[Math.min(first, last - 1)].x, data[last].x];
    return { min: from - 0.03 * (to - from), max: Math.min(to + 0.03 * (to - from), everything().max) };
  }

  function press(name, value) {
    for (const button of figure.querySelectorAll(`[data-chart-${name}]`)) {
      button.setAttribute("aria-pressed", String(button.dataset[`chart${name[0].toUpperCase()}${name.slice(1)}`] === value));
    }
  }

  const deeds = {
    chartRange: (name) => {
      showRange(chartNow(), rangeOf(name));
      chosen = name;
      press("range", name);
    },
    chartAxis: (axis) => {
      changed({ axis });
      press("axis", axis);
    },
    chartLayer: (layer, button) => {
      const hidden = new Set(look().hidden);
      if (!hidden.delete(layer)) hidden.add(layer);
      changed({ hidden });
      button.setAttribute("aria-pressed", String(!hidden.has(layer)));
    },
    chartZoom: (way) => zoomBy(chartNow(), way === "in" ? 1.6 : 1 / 1.6),
  };
  let chosen = "all";

  figure.addEventListener("click", ({ target }) => {
    const button = target.closest?.("button");
    for (const [name, deed] of Object.entries(deeds)) {
      if (button?.dataset[name] !== undefined) deed(button.dataset[name], button);
    }
  });

  return {
    // After each movement: which of the ranges is seen, if any.
    moved() {
      const { min, max } = chartNow().scales.x;
      const wanted = rangeOf(chosen ?? "all");
      const near = (one, other) => Math.abs(one - other) < 0.005 * (wanted.max - wanted.min);
      const isAll = near(min, everything().min) && near(max, everything().max);
      press("range", isAll ? "all" : near(min, wanted.min) && near(max, wanted.max) ? chosen : "");
    },
  };
}
