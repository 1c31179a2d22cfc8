// The numbers of one bar of a histogram, in the line below it: of the bar that is pointed at, tapped, or chosen with the arrow keys.
const STEPS = {
  ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity,
};

for (const line of document.querySelectorAll("[data-bar-numbers]")) follow(line.closest("figure"), line);

function follow(figure, line) {
  const columns = [...figure.querySelectorAll(".dist-column")];
  const plot = columns[0]?.ownerSVGElement;
  if (!plot) return;
  const hint = line.textContent;
  // The line takes the place of the browser's tooltips.
  const texts = columns.map((column) => {
    const title = column.querySelector("title");
    title.remove();
    return title.textContent.trim().replace(/\s+/g, " ");
  });
  let at = columns.length >> 1;
  plot.tabIndex = 0;
  const attributes = { role: "slider", "aria-valuemin": 1, "aria-valuemax": columns.length };
  for (const [name, value] of Object.entries(attributes)) plot.setAttribute(name, value);

  function mark(index) {
    plot.setAttribute("aria-valuenow", index + 1);
    plot.setAttribute("aria-valuetext", texts[index]);
  }

  function show(index) {
    columns.forEach((column, number) => column.classList.toggle("is-active", number === index));
    line.textContent = index === null ? hint : texts[index];
    if (index !== null) mark((at = index));
  }

  function point({ clientX, clientY }) {
    const column = document.elementFromPoint(clientX, clientY)?.closest(".dist-column");
    const index = columns.indexOf(column);
    if (index >= 0) show(index);
  }

  mark(at);
  plot.addEventListener("pointerdown", point);
  plot.addEventListener("pointermove", point);
  // A finger that lifts leaves the numbers; the next tap elsewhere removes them.
  plot.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && show(null));
  document.addEventListener("pointerdown", ({ target }) => plot.contains(target) || show(null));
  plot.addEventListener("focus", () => plot.matches(":focus-visible") && show(at));
  plot.addEventListener("blur", () => show(null));
  plot.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") show(null);
    else if (step !== undefined) show(Math.min(columns.length - 1, Math.max(0, at + step)));
    else return;
    event.preventDefault();
  });
}
