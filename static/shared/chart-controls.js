// The buttons of a graph: ranges, axis, layers and zoom.
import { showRange, zoomBy } from "chart-zoom";

// `chartNow()`: the chart; `look()`: its look; `changed(changes)`: redraw it with another look; `rangeOf(name)`: the
// ends of a range, including "all".
export function followControls(figure, { chartNow, look, changed, rangeOf }) {
  let chosen = "all";

  function press(name, value) {
    for (const button of figure.querySelectorAll("button")) {
      if (button.dataset[name] !== undefined) button.setAttribute("aria-pressed", String(button.dataset[name] === value));
    }
  }

  const deeds = {
    chartRange: (name) => {
      chosen = name;
      showRange(chartNow(), rangeOf(name));
      press("chartRange", name);
    },
    chartAxis: (axis) => {
      if (look().axis !== axis) changed({ axis });
      press("chartAxis", axis);
    },
    chartLayer: (layer, button) => {
      const hidden = new Set(look().hidden);
      if (!hidden.delete(layer)) hidden.add(layer);
      changed({ hidden });
      button.setAttribute("aria-pressed", String(!hidden.has(layer)));
    },
    chartZoom: (way) => zoomBy(chartNow(), way === "in" ? 1.6 : 1 / 1.6),
  };

  figure.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    for (const [name, deed] of Object.entries(deeds)) {
      if (button?.dataset[name] !== undefined) deed(button.dataset[name], button);
    }
  });

  return {
    // After each movement, mark the button of the visible range, if any.
    moved() {
      const { min, max } = chartNow().scales.x;
      const isSeen = (name) => {
        const range = rangeOf(name);
        const slack = 0.005 * (range.max - range.min);
        return Math.abs(min - range.min) < slack && Math.abs(max - range.max) < slack;
      };
      press("chartRange", [chosen, "all"].find(isSeen) ?? "");
    },
  };
}
