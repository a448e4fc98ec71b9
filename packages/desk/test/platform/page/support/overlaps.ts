import type { Page } from 'playwright-core';

/** Returns the pairs of visible controls that lie on top of each other, and controls that a tap misses. */
export function overlapsOn(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const nameOf = (element: Element) =>
      (element.textContent || element.getAttribute('aria-label') || element.outerHTML).slice(0, 40);
    const controls = [
      ...document.querySelectorAll<HTMLElement>('a, button, input, select, textarea, summary'),
    ].filter((one) => one.checkVisibility() && !one.matches('.skip-link'));
    const problems: string[] = [];
    for (const [index, one] of controls.entries()) {
      const box = one.getBoundingClientRect();
      if (box.left < -1 || box.right > innerWidth + 1) problems.push(`${nameOf(one)} is cut off`);
      for (const other of controls.slice(index + 1)) {
        if (one.contains(other) || other.contains(one)) continue;
        const its = other.getBoundingClientRect();
        const width = Math.min(box.right, its.right) - Math.max(box.left, its.left);
        const height = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
        if (width > 1 && height > 1) problems.push(`${nameOf(one)} × ${nameOf(other)}`);
      }
      const middle = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      const isOnScreen = box.top >= 0 && box.bottom <= innerHeight;
      if (isOnScreen && middle !== null && !one.contains(middle) && !middle.contains(one)) {
        problems.push(`A tap on ${nameOf(one)} hits ${nameOf(middle)}`);
      }
    }
    return problems;
  });
}
