// In the head and blocking, so that the first paint already has the chosen theme.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("theme");
  } catch {
    // Storage can be switched off; then the system's theme holds.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
