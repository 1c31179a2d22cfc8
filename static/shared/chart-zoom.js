// Moving along a graph: by wheel, drag, pinch, keys and buttons. The page keeps scrolling over it.
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const GLIDE = 220;

// For the plug-in, 1.5 halves the range. Here 2 halves it, and 0.5 doubles it.
const amount = (factor, focalPoint) => ({ x: 2 - 1 / factor, focalPoint });

// Options of chartjs-plugin-zoom; `moved` is called after each movement, `started` before a drag.
export function zoomOptions({ from, to, least }, { moved, started }) {
  return {
    limits: { x: { min: from, max: to, minRange: Math.min(least, to - from) } },
    pan: { enabled: true, mode: "x", threshold: 6, onPanStart: () => { started(); }, onPan: moved },
    zoom: { mode: "x", pinch: { enabled: true }, wheel: { enabled: false }, onZoom: moved },
  };
}

// With Ctrl or ⌘ (which browsers also report for a pinch on a touch pad) the wheel zooms; sideways it moves; otherwise
// the page scrolls. All events within a frame are drawn once.
export function followWheel(canvas, chartNow) {
  let [factor, way, focus, asked] = [1, 0, null, false];
  canvas.addEventListener("wheel", (event) => {
    const chart = chartNow();
    const zooms = event.ctrlKey || event.metaKey;
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) && chart.isZoomedOrPanned();
    if (!zooms && !sideways) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (zooms) factor *= Math.exp(Math.min(1, Math.max(-1, -event.deltaY * unit * 0.0025)));
    else way -= event.deltaX * unit;
    focus = { x: event.offsetX, y: event.offsetY };
    if (!asked) requestAnimationFrame(apply);
    asked = true;
  }, { passive: false });

  function apply() {
    const chart = chartNow();
    if (factor !== 1) chart.zoom(amount(factor, focus), "none");
    if (way) chart.pan({ x: way }, [chart.scales.x], "none");
    [factor, way, asked] = [1, 0, false];
  }
}

// Around the middle of the graph, or around `x` pixels if given.
export function zoomBy(chart, factor, x) {
  const { left, right, top, bottom } = chart.chartArea;
  chart.zoom(amount(factor, { x: x ?? (left + right) / 2, y: (top + bottom) / 2 }), "none");
}

export function panBy(chart, share) {
  chart.pan({ x: -share * chart.chartArea.width }, [chart.scales.x], "none");
}

// Show a range of the axis, smoothly unless the visitor prefers reduced motion. The motion ends if the visitor moves
// the graph meanwhile.
export function showRange(chart, { min, max }) {
  const from = { min: chart.scales.x.min, max: chart.scales.x.max };
  const began = performance.now();
  let last = from;
  const step = (now) => {
    if (!chart.ctx || chart.scales.x.min !== last.min || chart.scales.x.max !== last.max) return;
    const time = STILL.matches ? 1 : Math.min(1, Math.max(0, (now - began) / GLIDE));
    const share = 1 - (1 - time) ** 3;
    const between = (one, other) => (time === 1 ? other : one + share * (other - one));
    chart.zoomScale("x", { min: between(from.min, min), max: between(from.max, max) }, "none");
    last = { min: chart.scales.x.min, max: chart.scales.x.max };
    if (time < 1) requestAnimationFrame(step);
  };
  if (STILL.matches) step(began);
  else requestAnimationFrame(step);
}
