import type { Message } from 'holdpoint';
import {
  calls,
  responds,
  type ResponseDraft,
  says,
  type ScriptedModel,
  scriptedModel,
} from 'holdpoint/testing';

const CHANGES = `# Changes

## 1.3.0

- Keeps the water warm
- The lid wakes the kettle again
`;

/** What the model says when there is no model: the tools really run, only the answers are written down. */
export function makeScript(): ScriptedModel {
  return scriptedModel(
    responds(
      speak('I will look around first.'),
      calls('list_files'),
      calls('read_file', { path: 'CHANGELOG.md' }),
    ),
    responds(
      speak('There is an old log. I will delete it.'),
      calls('delete_file', { path: 'build/march.log', reason: 'old' }),
    ),
    responds(
      speak('Of course, with a reason. And the rest of the release:'),
      calls('write_file', { path: 'CHANGELOG.md', content: CHANGES }),
      calls('delete_file', {
        path: 'build/march.log',
        reason: 'The log of a build in March, which nobody needs any more.',
      }),
      calls('ask_owner', { question: 'Who should review 1.3.0?' }),
    ),
    ({ messages }) => speak(summary(messages)),
  );
}

/** What has come of the three calls, in the words of a model. */
function summary(messages: readonly Message[]): string {
  const results = (messages.at(-1)?.parts ?? []).flatMap((part) =>
    part.kind === 'tool-return'
      ? [{ name: part.toolName, outcome: part.outcome, content: part.content }]
      : [],
  );
  const of = (name: string) => results.find((result) => result.name === name);
  const owner = of('ask_owner');
  return [
    of('write_file')?.outcome === 'success'
      ? 'The change log is ready.'
      : 'The change log is as it was.',
    of('delete_file')?.outcome === 'success' ? 'The old log is gone.' : 'The old log stays.',
    owner?.outcome === 'success'
      ? `The owner says: ${typeof owner.content === 'string' ? owner.content : JSON.stringify(owner.content)}`
      : 'From the owner I know nothing.',
  ].join(' ');
}

/** Text that is streamed word by word. */
function speak(text: string): ResponseDraft {
  return says(text, { chunks: text.split(/(?<= )/) });
}
