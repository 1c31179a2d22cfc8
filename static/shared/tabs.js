// On narrow screens, tabs scroll sideways: show the current one from the start, and fade out the sides with more tabs.
for (const tabs of document.querySelectorAll(".tabs, .matchmaking-nav ul")) {
  const fade = () => {
    const hidden = tabs.scrollWidth - tabs.clientWidth;
    tabs.classList.toggle("more-left", tabs.scrollLeft > 1);
    tabs.classList.toggle("more-right", tabs.scrollLeft < hidden - 1);
  };
  const current = tabs.querySelector("[aria-current]");
  if (current && tabs.scrollWidth > tabs.clientWidth) {
    const [inner, outer] = [current.getBoundingClientRect(), tabs.getBoundingClientRect()];
    tabs.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  }
  tabs.addEventListener("scroll", fade, { passive: true });
  // Also calls it once at the start; the tabs change their widths when the fonts arrive.
  const sizes = new ResizeObserver(fade);
  for (const each of [tabs, ...tabs.children]) sizes.observe(each);
}
