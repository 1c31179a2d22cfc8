// The list below a field: options as in ARIA 1.2.
// It covers the page, so that nothing moves, and stays until the next response, so that nothing flashes.
import { element, lines, set } from "suggest-lines";

let count = 0;

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
    const withPictures = items.some((item) => item.picture);
    this.box.replaceChildren(...items.map((item, place) => {
      const option = element("li", `suggest-option suggest-${item.kind}`);
      set(option, { id: `${this.id}-${place}`, role: "option", "aria-selected": "false" });
      option.append(...lines(item, { withPictures }));
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
