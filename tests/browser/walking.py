"""Walking through a page with the keyboard alone, like someone who sees the page but uses no mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.browser.watching import Screen

#: What is wrong with the element that has the focus: whether the ring around it is seen, and what hides it.
_FAULTS = """() => {
  const at = document.activeElement, faults = [];
  (window.visited ??= new Set()).add(at);
  // Less motion means transitions of one frame.
  document.getAnimations().forEach((animation) => animation.finish());
  if (!at || at === document.body) return [];
  const style = getComputedStyle(at);
  if (!at.matches(":focus-visible") || style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2)
    faults.push("no ring");
  const box = at.getClientRects()[0];
  if (!box || box.width < 4 || box.height < 4) return [...faults, "too small to see"];
  const [x, y] = [box.x + box.width / 2, box.y + Math.min(box.height, innerHeight) / 2];
  if (x < 0 || x > innerWidth || y < 0 || y > innerHeight) faults.push("out of sight");
  else {
    const top = document.elementFromPoint(x, y);
    if (!at.contains(top) && ![...at.labels || []].some((label) => label.contains(top)))
      faults.push(`covered by ${top?.outerHTML.slice(0, 80)}`);
  }
  return faults.map((fault) => `${at.outerHTML.slice(0, 120)}: ${fault}`);
}"""
#: All that the keyboard has to reach between two elements, in the order of the page. One button of each group of radio
#: buttons is enough.
_BETWEEN = """([before, target]) => {
  const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")];
  const follows = (one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
  return all.filter((each) => (!before || follows(before, each)) && follows(each, target)
    && each.checkVisibility({ visibilityProperty: true }) && !each.disabled
    && each.type !== "hidden" && each.type !== "radio" && !each.closest("[inert], [aria-hidden=true]")
    && !window.visited.has(each))
    .map((each) => `${each.outerHTML.slice(0, 120)}: not reached`);
}"""
_STEP = f"(target) => [target === document.activeElement, ({_FAULTS})()]"
#: More steps than any page of a walk needs.
MOST_STEPS = 250


class Walk:
    """A walk through pages by keyboard; each stop has to show where the focus is, and no control may be left out."""

    def __init__(self, screen: Screen) -> None:
        self.page = screen.page
        self.faults: list[str] = []

    def tab_to(self, target: Locator, *, by: str = "Tab") -> None:
        """Press Tab until the target has the focus; what was skipped on the way is a fault."""
        before, wanted = self._focused(), target.element_handle()
        for _ in range(MOST_STEPS):
            self.page.keyboard.press(by)
            is_there, faults = self.page.evaluate(_STEP, wanted)
            self.faults += faults
            if is_there:
                break
        else:
            raise AssertionError(f"{target} is not reached; faults: {self.faults}")
        if by == "Tab":
            self.faults += self.page.evaluate(_BETWEEN, [before, wanted])

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def write(self, text: str) -> None:
        self.page.keyboard.type(text, delay=10)

    def stands_on(self, target: Locator) -> None:
        """Check that the target has the focus, and that the focus is visible."""
        assert target.evaluate("(each) => each === document.activeElement"), f"{target} has no focus"
        self.faults += self.page.evaluate(_FAULTS)

    def _focused(self) -> Any:
        handle = self.page.evaluate_handle(
            "() => document.activeElement === document.body ? null : document.activeElement"
        )
        return handle.as_element()
