// The tooltip of a graph: part of the page, so that long names wrap and the theme's colours apply.
import { element } from "chart-words";

const GAP = 14;
// In a frame narrower than this, in pixels, the tooltip is below the graph instead of covering most of it.
const NARROW = 480;

export function createTip(frame) {
  const tip = element("div", "chart-tip");
  // Screen readers use the live region instead.
  tip.setAttribute("aria-hidden", "true");
  tip.hidden = true;
  frame.append(tip);
  let shown = null;

  function beside(x, y) {
    const { offsetWidth: width, offsetHeight: height } = tip;
    const left = x + GAP + width <= frame.clientWidth ? x + GAP : Math.max(0, x - GAP - width);
    return [left, Math.min(frame.clientHeight - height, Math.max(0, y - height / 2))];
  }

  return {
    // The key of what is visible.
    shown: () => shown,
    hide() {
      tip.hidden = true;
      shown = null;
    },
    // Beside a point of the frame; the content is only replaced if its `key` changes.
    show(x, y, key, make) {
      if (shown !== key) tip.replaceChildren(...make());
      shown = key;
      tip.hidden = false;
      const [left, top] = frame.clientWidth < NARROW ? [0, frame.clientHeight + 2] : beside(x, y);
      tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    },
  };
}
