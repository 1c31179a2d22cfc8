// On narrow screens, tabs scroll sideways: show the current one from the start.
for (const tabs of document.querySelectorAll(".tabs, .matchmaking-nav ul")) {
  const current = tabs.querySelector("[aria-current]");
  if (!current || tabs.scrollWidth <= tabs.clientWidth) continue;
  const [inner, outer] = [current.getBoundingClientRect(), tabs.getBoundingClientRect()];
  tabs.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
}
