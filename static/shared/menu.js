// Menus cover the page: they close on Escape, which returns the focus to their button, and on a click or focus
// elsewhere.
for (const menu of document.querySelectorAll("details.menu")) {
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  const leave = ({ target }) => { if (!menu.contains(target)) menu.open = false; };
  document.addEventListener("focusin", leave);
  document.addEventListener("pointerdown", leave);
}
