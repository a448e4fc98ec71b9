import * as fc from 'fast-check';
import { Agent } from 'holdpoint';
import { chatHandler } from 'holdpoint/ai-sdk-ui';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { expect, it } from 'vitest';
import { present } from '../support/present.ts';
import { QuorumBackend } from './quorum-backend.ts';
import {
  chatWith,
  idle,
  requestedApprovals,
  server,
  shop,
  toolParts,
  type Access,
} from './support.ts';

const rules = fc.array(
  fc.record({ approvals: fc.integer({ min: 1, max: 3 }), expires: fc.boolean() }),
  { minLength: 1, maxLength: 3 },
);

/** One user decides all calls that their page requests. */
const rounds = fc.array(
  fc.record({
    user: fc.constantFrom('ada', 'bo', 'cy'),
    decisions: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 5 },
);

const shared = (request: Request, chatId: string): Access => ({
  conversationId: chatId,
  user: present(request.headers.get('x-user')),
});

it('ends every stream with all decided calls settled or requested again', async () => {
  await fc.assert(
    fc.asyncProperty(rules, rounds, async (callRules, people) => {
      const { deleteFile, executed } = shop();
      const files = callRules.map((_, index) => `file-${index}`);
      const model = scriptedModel(
        responds(...files.map((path) => calls('delete_file', { path }))),
        says('Done.'),
      );
      // The backend parks runs itself, and agents without deps differ only in the types of their tools.
      const agent = new Agent({ model, tools: [deleteFile] }) as unknown as Agent;
      const backend = new QuorumBackend(agent, callRules);
      const chats = server(chatHandler({ backend, authorize: shared }));
      const first = chatWith(chats);
      await first.sendMessage({ text: 'Delete the files.' });
      await idle(first);

      for (const { user, decisions } of people) {
        const chat = chatWith(chats, { user, messages: await chats.history('chat-1', user) });
        const requested = requestedApprovals(chat);
        const postsBefore = chats.posts.length;
        for (const [index, id] of requested.entries()) {
          await chat.addToolApprovalResponse({ id, approved: present(decisions[index]) });
        }
        await idle(chat);

        expect(chat.error).toBeUndefined();
        expect(chats.posts.length - postsBefore).toBe(requested.length > 0 ? 1 : 0);
        expect(toolParts(chat).map(({ state }) => state)).not.toContain('approval-responded');
        expect(new Set(requestedApprovals(chat)).size).toBe(requestedApprovals(chat).length);
      }

      for (const [index, file] of files.entries()) {
        const rule = present(callRules[index]);
        if (rule.expires || rule.approvals > people.length) expect(executed).not.toContain(file);
      }
    }),
    { numRuns: 40 },
  );
});
