// Parts of the rating graph: colours of the page, tiers in the background, ticks of the time axis.
const DAY = 86_400_000;
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const shortDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const month = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", timeZone: "UTC" });

export const dayOf = (at) => day.format(at);
export const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0");

export function pageColours(dark) {
  return dark
    ? { page: "#14171f", ink: "#eceef2", soft: "#b3bac6", faint: "#949dac", rule: "#2b313d", band: "#eceef226", box: "#2b313d" }
    : { page: "#ffffff", ink: "#16191f", soft: "#4b5361", faint: "#646d7c", rule: "#dfe3e8", band: "#16191f1c", box: "#ffffff" };
}

// Each tier a band of its colour, with its name where there is room.
export function tierBands(tiers, dark) {
  return {
    id: "tierBands",
    beforeDatasetsDraw(chart) {
      const { ctx, chartArea: area, scales } = chart;
      ctx.save();
      ctx.font = "11px system-ui, sans-serif";
      ctx.textBaseline = "bottom";
      tiers.forEach((tier, index) => {
        const top = tiers[index + 1] ? scales.y.getPixelForValue(tiers[index + 1].from) : area.top;
        const bottom = tier.from === null ? area.bottom : scales.y.getPixelForValue(tier.from);
        const from = Math.max(area.top, top);
        const to = Math.min(area.bottom, bottom);
        if (to - from < 1) return;
        const colour = dark ? tier.dark : tier.light;
        ctx.fillStyle = `${colour}${dark ? "1f" : "1c"}`;
        ctx.fillRect(area.left, from, area.right - area.left, to - from);
        ctx.fillStyle = colour;
        if (tier.from !== null && bottom < area.bottom) ctx.fillRect(area.left, bottom - 0.5, area.right - area.left, 0.5);
        if (to - from < 16) return;
        ctx.fillText(tier.name, area.left + 6, to - 2);
      });
      ctx.restore();
    },
  };
}

// Ticks at round years, months or days: as many as have room.
export function timeTicks(min, max, room) {
  const days = (max - min) / DAY / Math.max(1, room);
  if (days > 180) return yearTicks(min, max, [1, 2, 5, 10, 20, 50].find((step) => step * 365 >= days) ?? 100);
  if (days > 20) return monthTicks(min, max, [1, 2, 3, 6].find((step) => step * 30 >= days) ?? 6);
  const step = [1, 2, 7, 14, 28].find((length) => length >= days) ?? 28;
  const ticks = [];
  for (let at = Math.ceil(min / DAY) * DAY; at <= max; at += step * DAY) ticks.push({ value: at, label: shortDay.format(at) });
  return ticks;
}

function yearTicks(min, max, step) {
  const ticks = [];
  const first = Math.ceil(new Date(min).getUTCFullYear() / step) * step;
  for (let year = first; Date.UTC(year, 0) <= max; year += step) {
    if (Date.UTC(year, 0) >= min) ticks.push({ value: Date.UTC(year, 0), label: String(year) });
  }
  return ticks;
}

function monthTicks(min, max, step) {
  const ticks = [];
  const start = new Date(min);
  for (let n = Math.ceil(start.getUTCMonth() / step) * step; ; n += step) {
    const at = Date.UTC(start.getUTCFullYear(), n);
    if (at > max) return ticks;
    if (at >= min) ticks.push({ value: at, label: month.format(at) });
  }
}
