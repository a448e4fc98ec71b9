import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

type AxeResults = Awaited<ReturnType<AxeBuilder['analyze']>>;
type AxeOptions = Parameters<AxeBuilder['options']>[0];

/** Returns the accessibility rules that the page violates, with the elements. */
export async function violationsOn(
  page: Page,
): Promise<readonly (readonly [rule: string, elements: readonly string[]])[]> {
  const { violations } = (await runLoadedAxe(page)) ?? (await loadAndRunAxe(page));
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

// `preload` would read the style sheets again for one rule about locked orientations.
const AXE_OPTIONS: AxeOptions = { resultTypes: ['violations'], preload: false };

function loadAndRunAxe(page: Page): Promise<AxeResults> {
  // The legacy mode analyses the page itself; a second page for frames would double the time.
  return new AxeBuilder({ page }).setLegacyMode(true).options(AXE_OPTIONS).analyze();
}

/** Loading axe takes longer than running it, so a document keeps it for later analyses. */
function runLoadedAxe(page: Page): Promise<AxeResults | undefined> {
  return page.evaluate((options) => {
    const loaded: unknown = Reflect.get(window, 'axe');
    // The builder puts axe there.
    return (loaded as { run(options: AxeOptions): Promise<AxeResults> } | undefined)?.run(options);
  }, AXE_OPTIONS);
}

/**
 * Returns the problems of the layout by geometry: controls and texts that overlap or leave the window,
 * controls that are too small or that a tap misses, and a page that is wider than the window.
 */
export function layoutProblemsOn(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    /** A visible rectangle of a control or a text. */
    interface Box {
      readonly element: Element;
      readonly name: string;
      readonly left: number;
      readonly right: number;
      readonly top: number;
      readonly bottom: number;
    }
    const MIN_TARGET = 44;
    const problems: string[] = [];

    /** Sticky bars, dialogs and menus cover the content on purpose. Boxes are compared inside a layer. */
    const layerOf = (element: Element) =>
      element.closest('dialog, [popover], .masthead, .decision-bar') ?? document.body;
    const top = document.querySelector('dialog[open], [popover]:popover-open');
    const isShown = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      element.closest('.visually-hidden, .skip-link, datalist, option') === null &&
      (top === null || top.contains(element));

    /** Cuts a rectangle to the part that scrolling ancestors show; `shrink` leaves out line spacing. */
    const boxOf = (element: Element, name: string, rect: DOMRect, shrink: number): Box => {
      let { left, right } = rect;
      let [upper, lower] = [rect.top + rect.height * shrink, rect.bottom - rect.height * shrink];
      for (let parent = element.parentElement; parent; parent = parent.parentElement) {
        if (parent === document.body || getComputedStyle(parent).overflow === 'visible') continue;
        const clip = parent.getBoundingClientRect();
        [left, right] = [Math.max(left, clip.left), Math.min(right, clip.right)];
        [upper, lower] = [Math.max(upper, clip.top), Math.min(lower, clip.bottom)];
      }
      return { element, name: name.trim().slice(0, 40), left, right, top: upper, bottom: lower };
    };
    const isVisible = ({ left, right, top: upper, bottom }: Box) => right > left && bottom > upper;
    const overlap = (one: Box, other: Box) =>
      Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1 &&
      layerOf(one.element) === layerOf(other.element);

    const nameOf = (element: Element) =>
      element.textContent || element.getAttribute('aria-label') || element.outerHTML;
    const controlElements = [
      ...document.querySelectorAll('a, button, input, select, textarea, summary'),
    ].filter(isShown);
    const controls = controlElements.flatMap((element) =>
      [...element.getClientRects()]
        .map((rect) => boxOf(element, nameOf(element), rect, 0))
        .filter(isVisible),
    );
    const texts: Box[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { parentElement: parent, textContent: text } = node;
      if (parent === null || !text?.trim() || !isShown(parent)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const boxes = [...range.getClientRects()].map((rect) => boxOf(parent, text, rect, 0.2));
      texts.push(...boxes.filter(isVisible));
    }

    const boxes = [...controls, ...texts];
    for (const { name, left, right } of boxes) {
      if (left < -1 || right > innerWidth + 1) problems.push(`${name} leaves the window`);
    }
    for (const [index, one] of boxes.entries()) {
      for (const other of boxes.slice(index + 1)) {
        if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
        if (overlap(one, other)) problems.push(`${one.name} overlaps ${other.name}`);
      }
    }
    for (const box of controls) {
      const { element, name } = box;
      const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
      const hit = y >= 0 && y < innerHeight ? document.elementFromPoint(x, y) : null;
      const isCovered = hit !== null && layerOf(hit) !== layerOf(element);
      if (hit && !isCovered && !element.contains(hit) && !hit.contains(element)) {
        problems.push(`A tap on ${name} hits ${nameOf(hit).slice(0, 40)}`);
      }
    }
    for (const element of controlElements) {
      if (element.matches('a:not(.row, .button, nav a)')) continue;
      const target = element.closest('label.check, .choices label, .row-check') ?? element;
      const { height } = target.getBoundingClientRect();
      if (height < MIN_TARGET)
        problems.push(`${nameOf(element).slice(0, 40)} is ${height} px high`);
    }
    const excess = document.documentElement.scrollWidth - innerWidth;
    if (excess > 0) problems.push(`The page is ${excess} px too wide`);
    return [...new Set(problems)];
  });
}
