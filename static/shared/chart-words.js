// Numbers, days and sentences of the graphs in the page's language; the sentences come from the server.
const { lang } = document.documentElement;
export const language = !lang || lang === "en" ? "en-GB" : lang;

const number = new Intl.NumberFormat(language);
const change = new Intl.NumberFormat(language, { signDisplay: "exceptZero" });
const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

const trueMinus = (text) => text.replace("-", "−");

export const written = (value) => trueMinus(number.format(value));
export const signed = (value) => trueMinus(change.format(value));
// English months have three letters, as in the rest of the page; Intl writes "Sept".
export const dateWith = (format, at) => format.formatToParts(at)
  .map(({ type, value }) => (type === "month" && language === "en-GB" ? value.slice(0, 3) : value)).join("");
export const dayOf = (at) => dateWith(day, at);

// Fill a sentence with {names}.
export const filled = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

// An element with a class and with texts or elements in it; texts are never parsed as HTML.
export function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}
