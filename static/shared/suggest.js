// Suggestions while typing, for every form with data-suggest="all" or "players" (on the form or on the field itself).
// Also: data-suggest-series="slug", data-suggest-many (a list with commas: choosing completes its last name),
// data-suggest-fill (choosing only fills the field). Otherwise choosing a player submits the form, and choosing an item
// of "all" opens its page. Without this script the form still searches. ARIA 1.2, combobox with a listbox.
import { ask } from "suggest-source";
import { SuggestList } from "suggest-list";

const PAUSE = 120;

function settings(field) {
  const of = (name) => field.dataset[name] ?? field.form?.dataset[name];
  return {
    kind: of("suggest") || "all", series: of("suggestSeries") || "",
    community: of("suggestCommunity") || "",
    many: of("suggestMany") !== undefined, fill: of("suggestFill") !== undefined,
  };
}

/** The text being typed: the whole field, or the part after its last comma. */
const typed = (field, many) => (many ? field.value.slice(field.value.lastIndexOf(",") + 1) : field.value).trim();

function choose(field, item, options) {
  if (options.many) {
    const before = field.value.slice(0, field.value.lastIndexOf(",") + 1);
    field.value = `${before}${before ? " " : ""}${item.text}, `;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  } else if (options.fill || options.kind !== "all") {
    field.value = item.text;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    if (!options.fill) field.form?.requestSubmit();
  } else {
    location.assign(item.url);
  }
}

function attach(field) {
  const options = settings(field);
  const list = new SuggestList(field, (item) => { close(); choose(field, item, options); field.focus(); });
  let timer = 0, pending = null, shown = null;

  function close() {
    clearTimeout(timer);
    pending?.abort();
    pending = null;
    shown = null;
    list.close();
  }

  async function look() {
    const text = typed(field, options.many);
    if (text === shown) return;
    pending?.abort();
    if (!text) return close();
    const mine = pending = new AbortController();
    const answer = await ask(text, options, mine.signal);
    if (mine.signal.aborted || !answer || document.activeElement !== field) return;
    shown = text;
    list.show(answer);
  }

  field.addEventListener("input", (event) => {
    clearTimeout(timer);
    if (!event.isComposing) timer = setTimeout(look, PAUSE);
  });
  field.addEventListener("compositionend", look);
  field.addEventListener("keydown", (event) => {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    if (!list.isOpen) {
      if (event.key === "ArrowDown" && typed(field, options.many)) { event.preventDefault(); shown = null; look(); }
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) list.move(step);
    else if (event.key === "Enter" && list.active) list.active.click();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  field.addEventListener("blur", close);
  field.form?.addEventListener("submit", close);
}

const fields = new Set(document.querySelectorAll("input[data-suggest]"));
for (const form of document.querySelectorAll("form[data-suggest]")) {
  const field = form.querySelector('input[type="search"], input[type="text"]');
  if (field) fields.add(field);
}
for (const field of fields) attach(field);
