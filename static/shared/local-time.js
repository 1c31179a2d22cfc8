// Convert moments from UTC to the reader's time zone; the UTC value stays in the title, or beside an empty element, which
// stays empty if it would only repeat the time. The script is in the head and blocking, so that moments are converted
// before the first paint and nothing moves.
(() => {
  const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
  const withTime = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });

  // As the server writes dates in English: Intl writes "Sept" and a comma before the time.
  const inEnglish = ({ type, value }) => (type === "month" ? value.slice(0, 3) : value.replace(",", ""));
  const written = (moment) => withTime.formatToParts(moment)
    .map((part) => (language === "en-GB" ? inEnglish(part) : part.value)).join("");

  function write() {
    // The element being parsed may be incomplete.
    let last = document;
    while (last.lastChild) last = last.lastChild;
    for (const element of document.querySelectorAll("time[data-local]:not([data-local=written])")) {
      const moment = new Date(element.dateTime);
      if (element.contains(last) || Number.isNaN(moment.getTime())) continue;
      const around = element.dataset.local;
      if (!around) element.textContent = written(moment);
      else if (moment.getTimezoneOffset()) element.textContent = around.replace("%s", written(moment));
      element.dataset.local = "written";
    }
  }

  const watching = new MutationObserver(write);
  watching.observe(document, { childList: true, subtree: true });
  document.addEventListener("DOMContentLoaded", () => { watching.disconnect(); write(); });
})();
