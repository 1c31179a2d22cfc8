// Colours for drawing on a canvas: those of static/shared/tokens.css, which a canvas cannot read.
const LIGHT = {
  page: "#ffffff", raised: "#f6f7f9", ink: "#16191f", soft: "#4b5361", faint: "#646d7c", rule: "#dfe3e8",
  strong: "#808897", accent: "#b3360b", warn: "#7a5200",
};
const DARK = {
  page: "#14171f", raised: "#1b1f29", ink: "#eceef2", soft: "#b3bac6", faint: "#949dac", rule: "#2b313d",
  strong: "#727b8b", accent: "#ff9466", warn: "#f0c05a",
};

export const pageColours = (dark) => (dark ? DARK : LIGHT);

// The same colour with an opacity from 0 to 1.
export const clear = (colour, opacity) => `${colour}${Math.round(opacity * 255).toString(16).padStart(2, "0")}`;

export const FONT = getComputedStyle(document.documentElement).getPropertyValue("--font");
