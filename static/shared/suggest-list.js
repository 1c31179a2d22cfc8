// The list below a field: options as in ARIA 1.2, names as text and never as markup.
// It covers the page, so that nothing moves, and stays until the next response, so that nothing flashes.
let count = 0;

function element(name, classes, text) {
  const made = document.createElement(name);
  made.className = classes;
  if (text) made.textContent = text;
  return made;
}

function set(target, attributes) {
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

/** The line of one suggestion: flag and name, other names and series, and at the end graph and rating, or the kind. */
function lines(item) {
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
    end.style.setProperty("--tier-light", item.tier.light);
    end.style.setProperty("--tier-dark", item.tier.dark);
    if (item.line) end.append(graph(item.line));
    const symbol = element("span", "tier-symbol", item.tier.symbol);
    symbol.setAttribute("aria-hidden", "true");
    end.append(symbol, number.format(item.rating), element("span", "visually-hidden", ` (${item.tier.name})`));
  }
  return [name, end];
}

export class SuggestList {
  constructor(field, choose) {
    this.field = field;
    this.choose = choose;
    this.id = `suggest-${(count += 1)}`;
    this.box = element("ul", "suggest-list");
    set(this.box, { id: this.id, role: "listbox", hidden: "" });
    this.status = element("span", "visually-hidden");
    set(this.status, { role: "status" });
    field.parentElement.classList.add("suggest-frame");
    field.after(this.box, this.status);
    set(field, { role: "combobox", "aria-autocomplete": "list", "aria-haspopup": "listbox", autocomplete: "off" });
    set(field, { "aria-expanded": "false", "aria-controls": this.id });
    // Pressing would move the focus from the field and close the list before the click.
    this.box.addEventListener("mousedown", (event) => event.preventDefault());
  }

  get isOpen() { return !this.box.hidden; }
  get active() { return this.box.querySelector('[aria-selected="true"]'); }

  show({ items, announcement, label }) {
    this.status.textContent = announcement;
    if (!items.length) return this.hide();
    this.box.setAttribute("aria-label", label);
    this.box.replaceChildren(...items.map((item, place) => {
      const option = element("li", `suggest-option suggest-${item.kind}`);
      set(option, { id: `${this.id}-${place}`, role: "option", "aria-selected": "false" });
      option.append(...lines(item));
      option.addEventListener("click", () => this.choose(item));
      return option;
    }));
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = this.field;
    const room = document.documentElement.clientWidth - this.field.getBoundingClientRect().left - 16;
    const width = { minWidth: `${offsetWidth}px`, maxWidth: `${Math.max(offsetWidth, Math.min(448, room))}px` };
    Object.assign(this.box.style, { left: `${offsetLeft}px`, top: `${offsetTop + offsetHeight + 4}px`, ...width });
    this.box.hidden = false;
    this.field.setAttribute("aria-expanded", "true");
    this.field.removeAttribute("aria-activedescendant");
  }

  /** Up or down by one; beyond the ends nothing is selected, as at the start. */
  move(step) {
    const options = [...this.box.children], at = options.indexOf(this.active);
    const next = options[at + step] ?? (at < 0 && step < 0 ? options.at(-1) : null);
    this.active?.setAttribute("aria-selected", "false");
    next?.setAttribute("aria-selected", "true");
    next?.scrollIntoView({ block: "nearest" });
    if (next) this.field.setAttribute("aria-activedescendant", next.id);
    else this.field.removeAttribute("aria-activedescendant");
  }

  hide() {
    this.box.hidden = true;
    this.field.setAttribute("aria-expanded", "false");
    this.field.removeAttribute("aria-activedescendant");
  }

  close() {
    this.status.textContent = "";
    this.hide();
  }
}
