import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What is wrong with what is on the screen, by the rules with these tags or by all of them. */
export async function violationsOn(
  page: Page,
  tags?: readonly string[],
): Promise<readonly (readonly [rule: string, elements: readonly string[]])[]> {
  // One pass in the page itself, which has no frames of others: half of the time would go to a page for them.
  const axe = new AxeBuilder({ page }).setLegacyMode(true);
  axe.options({ resultTypes: ['violations'], ...(tags && { runOnly: [...tags] }) });
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
