// The box that says what is under the pointer: part of the page, so that long names wrap and the theme's colours hold.
import { element } from "chart-words";

const GAP = 14;

export function createTip(frame) {
  const tip = element("div", "chart-tip");
  // Screen readers hear the live region instead.
  tip.setAttribute("aria-hidden", "true");
  tip.hidden = true;
  frame.append(tip);
  let shown = null;

  return {
    hide() {
      tip.hidden = true;
      shown = null;
    },
    // Beside a point of the frame; `key` names the content, which is made only when it is another.
    show(x, y, key, make) {
      if (shown !== key) tip.replaceChildren(...make());
      shown = key;
      tip.hidden = false;
      const { offsetWidth: width, offsetHeight: height } = tip;
      const left = x + GAP + width <= frame.clientWidth ? x + GAP : Math.max(0, x - GAP - width);
      // Where it fits on neither side it keeps clear of the point above or below.
      const covers = left < x && left + width > x;
      const beside = covers ? (y > frame.clientHeight / 2 ? y - GAP - height : y + GAP) : y - height / 2;
      const top = Math.min(frame.clientHeight - height, Math.max(0, beside));
      tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    },
  };
}
