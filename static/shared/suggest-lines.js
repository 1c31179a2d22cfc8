// One suggestion of a search field as elements: names as text and never as markup.
export function element(name, classes, text) {
  const made = document.createElement(name);
  made.className = classes;
  if (text) made.textContent = text;
  return made;
}

export function set(target, attributes) {
  for (const [name, value] of Object.entries(attributes)) target.setAttribute(name, value);
}

const SVG = "http://www.w3.org/2000/svg";

/** The newest ratings as a small graph; the box is that of web/shared/drawings.py. */
function graph(points) {
  const svg = document.createElementNS(SVG, "svg"), line = document.createElementNS(SVG, "polyline");
  set(svg, { class: "suggest-line", viewBox: "0 0 300 56", preserveAspectRatio: "none", "aria-hidden": "true" });
  set(line, { points, "vector-effect": "non-scaling-stroke" });
  svg.append(line);
  return svg;
}

function flag({ flag: src, country }) {
  const image = element("img", "flag");
  set(image, { src, alt: country, width: 21, height: 14 });
  return image;
}

/** The picture of a player, or the initials; without alternative text, beside the name. */
function picture({ picture: src, initials, tier }) {
  const made = element(src ? "img" : "span", `monogram${src ? " picture" : ""}${tier ? " tier" : ""}`, src ? "" : initials);
  set(made, src ? { src, alt: "", width: 256, height: 256 } : { "aria-hidden": "true" });
  if (tier) paint(made, tier);
  return made;
}

function paint(target, tier) {
  target.style.setProperty("--tier-light", tier.light);
  target.style.setProperty("--tier-dark", tier.dark);
}

/** The line of one suggestion: flag and name, other names and series, and at the end graph and rating, or the kind. */
export function lines(item, { withPictures } = {}) {
  const number = new Intl.NumberFormat(document.documentElement.lang);
  const name = element("span", "suggest-name");
  name.append(element("bdi", "", item.first ?? item.text));
  if (item.flag) name.firstChild.prepend(flag(item));
  const about = [item.alias && `← ${item.alias}`, item.second, item.community, item.series, item.note].filter(Boolean);
  if (about.length) name.append(element("span", "suggest-about", ""));
  about.forEach((text, place) => name.lastChild.append(place ? " · " : "", element("bdi", "", text)));
  const end = element("span", "suggest-end", item.kind_name ?? "");
  if (item.tier) {
    end.classList.add("tier", "rating");
    paint(end, item.tier);
    if (item.line) end.append(graph(item.line));
    const symbol = element("span", "tier-symbol", item.tier.symbol);
    symbol.setAttribute("aria-hidden", "true");
    end.append(symbol, number.format(item.rating), element("span", "visually-hidden", ` (${item.tier.name})`));
  }
  return withPictures && item.kind === "player" ? [picture(item), name, end] : [name, end];
}
