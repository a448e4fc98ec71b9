import { createInterface } from 'node:readline/promises';
import { closestName } from './closest-name.ts';
import { TEMPLATE_NAMES, TEMPLATES, type TemplateName } from './templates.ts';
import { UsageError } from './usage-error.ts';

/** A folder and a template that the user chose. */
export interface Choice {
  readonly folder: string;
  readonly template: TemplateName;
}

const DEFAULT_FOLDER = 'my-agent';

/** Prompts for the values that the command line does not contain. */
export async function promptForMissing(given: Partial<Choice>): Promise<Choice> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  const prompt = async (text: string) => {
    try {
      return (await terminal.question(text, { signal: closed.signal })).trim();
    } catch {
      throw new UsageError('Nothing was created.');
    }
  };
  try {
    const folder =
      given.folder ?? ((await prompt(`Folder (${DEFAULT_FOLDER}): `)) || DEFAULT_FOLDER);
    return { folder, template: given.template ?? (await promptForTemplate(prompt)) };
  } finally {
    terminal.close();
  }
}

async function promptForTemplate(prompt: (text: string) => Promise<string>): Promise<TemplateName> {
  const lines = TEMPLATE_NAMES.map(
    (name, index) => `  ${index + 1}  ${name.padEnd(9)} ${TEMPLATES[name]}`,
  );
  console.log(`Template:\n${lines.join('\n')}`);
  for (;;) {
    const input = await prompt('Number or name (1): ');
    const named = TEMPLATE_NAMES.find((name) => name === input.toLowerCase());
    const template = named ?? TEMPLATE_NAMES[input === '' ? 0 : Number(input) - 1];
    if (template !== undefined) return template;
    const closest = closestName(input, TEMPLATE_NAMES);
    console.log(`Unknown template: ${input}.${closest ? ` Did you mean: ${closest}?` : ''}`);
  }
}
