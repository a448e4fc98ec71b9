import { closestName } from './closest-name.ts';
import { UsageError } from './usage-error.ts';

/** The templates with the descriptions that the prompt and the help show. */
export const TEMPLATES = {
  terminal: 'an agent in the terminal; you approve its calls there',
  web: 'a web page and an approval inbox, with a desk on SQLite',
  service: 'an HTTP API with a worker, on SQLite or PostgreSQL',
} as const;

export type TemplateName = keyof typeof TEMPLATES;

export const TEMPLATE_NAMES: readonly TemplateName[] = ['terminal', 'web', 'service'];

/** Returns the template with this name. An unknown name is an error with a suggestion. */
export function requireTemplate(name: string): TemplateName {
  const found = TEMPLATE_NAMES.find((template) => template === name);
  if (found !== undefined) return found;
  const closest = closestName(name, TEMPLATE_NAMES);
  const hint = closest === undefined ? '' : ` Did you mean: ${closest}?`;
  throw new UsageError(
    `Unknown template: ${name}.${hint} Pass \`--template\` with ${TEMPLATE_NAMES.join(', ')}.`,
  );
}
