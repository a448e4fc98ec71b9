import type { Page } from 'playwright-core';

/** Returns the text of the element that has the focus; empty if only the page has it. */
export function focusedText(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: focused, body } = document;
    return focused === null || focused === body ? '' : (focused.textContent?.trim() ?? '');
  });
}

/** The time for which a control may be missing or disabled, in milliseconds. */
const PATIENCE_MS = 5_000;

/** Presses Tab until a control with this name has the focus. */
export async function tabTo(
  page: Page,
  name: string | RegExp,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
): Promise<void> {
  const pattern = typeof name === 'string' ? new RegExp(`^${name}$`) : name;
  const end = Date.now() + PATIENCE_MS;
  for (let presses = 0; presses < 60 || Date.now() < end; presses++) {
    await page.keyboard.press(key);
    const label = await page.evaluate(() => {
      const element = document.activeElement;
      const isField =
        element instanceof HTMLInputElement ||
        element instanceof HTMLTextAreaElement ||
        element instanceof HTMLSelectElement;
      return ((isField ? element.labels?.[0] : undefined) ?? element)?.textContent?.trim() ?? '';
    });
    if (pattern.test(label)) return;
  }
  throw new Error(`No control is called ${name}.`);
}

/** Moves the focus to a control with Tab, and presses it with Enter. */
export async function press(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}
