import type { Message, Model } from 'holdpoint';
import { inferModel } from 'holdpoint/models';
import { calls, responds, type ResponseDraft, says, scriptedModel } from 'holdpoint/testing';

/** The model of the demo. */
export interface ChosenModel {
  readonly model: Model;
  readonly description: string;
}

const PROVIDERS = [
  { key: 'OPENAI_API_KEY', model: 'openai:gpt-5-mini' },
  { key: 'ANTHROPIC_API_KEY', model: 'anthropic:claude-sonnet-5' },
] as const;

/** Chooses a provider's model if its API key is set, or else the script. Without a user, it is the script. */
export async function chooseModel(
  environment: NodeJS.ProcessEnv,
  isInteractive: boolean,
): Promise<ChosenModel> {
  const script = (note: string) => ({
    model: createScript(),
    description: `a scripted model${note}`,
  });
  const chosen = environment['HOLDPOINT_MODEL'];
  if (chosen === 'scripted' || !isInteractive) return script('');
  const name = chosen || PROVIDERS.find(({ key }) => environment[key])?.model;
  if (name === undefined) return script(', no API key needed');
  try {
    return { model: await inferModel(name), description: name };
  } catch (error) {
    if (chosen) throw error;
    return script(` (the package for ${name} is not installed)`);
  }
}

const CHANGES = `# Changes

## 1.3.0

- Add a keep-warm mode
- Fix the lid sensor
`;

/** Creates the scripted model. The tools are real; only the responses are fixed. */
function createScript(): Model {
  return scriptedModel(
    responds(
      stream('I will read the project first.'),
      calls('list_files'),
      calls('read_file', { path: 'CHANGELOG.md' }),
    ),
    responds(
      stream('There is an old build log. I will delete it.'),
      calls('delete_file', { path: 'build/march.log', reason: 'old' }),
    ),
    responds(
      stream('I will add a reason, and prepare the rest of the release.'),
      calls('write_file', { path: 'CHANGELOG.md', content: CHANGES }),
      calls('delete_file', {
        path: 'build/march.log',
        reason: 'The build log of March is no longer needed.',
      }),
      calls('ask_owner', { question: 'Who should review 1.3.0?' }),
    ),
    ({ messages }) => stream(summary(messages)),
  );
}

/** Summarizes the outcomes of the three calls. */
function summary(messages: readonly Message[]): string {
  const results = (messages.at(-1)?.parts ?? []).flatMap((part) =>
    part.kind === 'tool-return' ? [part] : [],
  );
  const find = (name: string) => results.find(({ toolName }) => toolName === name);
  const [change, deletion, review] = ['write_file', 'delete_file', 'ask_owner'].map(find);
  return [
    change?.outcome === 'success' ? 'The change log is ready.' : 'The change log is unchanged.',
    deletion?.outcome === 'success' ? 'The old log is deleted.' : 'The old log is still there.',
    review?.outcome === 'success'
      ? `Reviewer: ${typeof review.content === 'string' ? review.content : JSON.stringify(review.content)}`
      : 'There is no reviewer yet.',
  ].join(' ');
}

/** Creates a text that streams word by word. */
function stream(text: string): ResponseDraft {
  return says(text, { chunks: text.split(/(?<= )/) });
}
