// Dates come in UTC and are shown in the reader's own time; the UTC value stays in the title.
const withTime = new Intl.DateTimeFormat(document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });

for (const element of document.querySelectorAll("time[data-local]")) {
  const moment = new Date(element.dateTime);
  if (!Number.isNaN(moment.getTime())) element.textContent = withTime.format(moment);
}
