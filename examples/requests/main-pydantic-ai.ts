// A parked run of Pydantic AI whose call is approved at a desk: the Python program is killed between the request and the
// decision, and started three times. The call executes once, with the edit of the approver.
//
//   node --conditions=holdpoint-source examples/requests/main-pydantic-ai.ts
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pydanticMessageCodec, pydanticResultsCodec } from 'holdpoint/pydantic';
import { killAndResume } from './kill-and-resume.ts';

const file = join(import.meta.dirname, 'pydantic-ai-run.json');
const program = join(import.meta.dirname, 'pydantic_ai.py');
const printed = await killAndResume({ command: 'python3', args: ['-B', program, file] });

const results = `{
  "calls": {
    "call_1": {
      "kind": "tool-return",
      "return_value": "paid 15 euros",
      "content": null,
      "metadata": null,
      "tools": null
    }
  },
  "approvals": {},
  "metadata": {}
}`;
for (const text of printed) assert.deepEqual(JSON.parse(text), JSON.parse(results));
// These codecs reject what Pydantic AI would misread.
pydanticResultsCodec.parse(results);
const { messages } = JSON.parse(readFileSync(file, 'utf8'));
pydanticMessageCodec.fromJSON(messages);
