import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import {
  chatWith,
  decide,
  janitor,
  lastOutline,
  requestedApprovals,
  say,
  storedServer,
  toolParts,
} from './support.ts';
import { present } from '../support/present.ts';

describe('a chat of @ai-sdk/react', () => {
  it('approves one call and denies another, in one assistant message', async () => {
    const { agent, executed } = janitor([
      responds(
        calls('delete_file', { path: 'a' }),
        calls('read_file', { path: 'b' }),
        calls('delete_file', { path: 'c' }),
      ),
      says('Done.'),
    ]);
    const server = storedServer(agent);
    const chat = chatWith(server);

    await say(chat, 'Delete a and c.');
    const [first, second] = requestedApprovals(chat);
    expect(toolParts(chat)[0]).toMatchObject({
      state: 'approval-requested',
      input: { path: 'a' },
      approval: {
        requestReason: 'Deletes a',
        descriptor: { kind: 'holdpoint', args: { path: 'a' } },
      },
    });
    await decide(chat, present(first), true);
    expect(server.posts).toHaveLength(1);
    await decide(chat, present(second), false, { reason: 'Keep c.' });

    expect(server.posts).toHaveLength(2);
    expect(chat.messages).toHaveLength(2);
    expect(lastOutline(chat)).toBe(
      'step-start tool-delete_file:output-available tool-read_file:output-available tool-delete_file:output-denied step-start text',
    );
    expect(executed).toEqual(['a']);
  });
});
