// What the model says when there is no model: the same tools really run, only the answers are written down.
import { calls, reply, says, scriptedModel, type ScriptedModel } from 'holdpoint/testing';

export function makeScript(): ScriptedModel {
  return scriptedModel(
    reply(
      speak('I will look at the files first, all at once.'),
      calls('list_files'),
      calls('read_file', { path: 'package.json' }),
      calls('read_file', { path: 'CHANGELOG.md' }),
      { usage: { inputTokens: 214, outputTokens: 61 } },
    ),
    reply(
      speak('There is a feature in it, so this is a minor release.'),
      calls('set_version', { version: 'v1.3' }),
      { usage: { inputTokens: 388, outputTokens: 34 } },
    ),
    reply(speak('Of course: three numbers.'), calls('set_version', { version: '1.3.0' }), {
      usage: { inputTokens: 447, outputTokens: 27 },
    }),
    reply(
      calls('final_result', {
        version: '1.3.0',
        title: 'Stays warm, wakes up',
        notes: [
          'New: keep-warm mode holds the water at the temperature you chose.',
          'Fixed: opening the lid wakes the kettle again.',
        ],
      }),
      { usage: { inputTokens: 502, outputTokens: 70 } },
    ),
    reply(speak('Let me see who owns the code.'), calls('read_file', { path: 'CODEOWNERS' }), {
      usage: { inputTokens: 611, outputTokens: 24 },
    }),
    reply(
      speak(
        'Grace owns the lid sensor, so she should look at the fix; Ada reviews the rest of 1.3.0.',
      ),
      { usage: { inputTokens: 664, outputTokens: 31 } },
    ),
  );
}

/** Text that is streamed word by word. */
function speak(text: string) {
  return says(text, { chunks: text.split(/(?<= )/) });
}
