// Parts of the rating graph: how things are written, colours of the page, tiers in the background.
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

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
