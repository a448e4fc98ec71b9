import { FunctionToolset, MemoryLedger, type Message } from 'holdpoint';
import { type AiSdkCallOptions, fromAiSdkTool, toAiSdkTools } from 'holdpoint/ai-sdk';
import { McpToolset } from 'holdpoint/mcp';
import { otel } from 'holdpoint/otel';
import { pydanticMessageCodec } from 'holdpoint/pydantic';
import { sealedRuns } from 'holdpoint/sealed';
import { calls } from 'holdpoint/testing';
import { z } from 'zod';
import {
  current,
  decide as decideThread,
  say as sayInThread,
  storedThreads,
} from '../ag-ui/support.ts';
import { chatWith, decide, requestedApprovals, say, storedServer } from '../ai-sdk-ui/support.ts';
import { probeAgent } from '../guarantees/examples/probe.ts';
import { expectParked } from '../support/deferral.ts';
import { recordSpans } from '../support/spans.ts';
import { resumeWith, decisionsFor, callTo, type Path, type Said } from './path.ts';
import { serverInMemory } from './server-in-memory.ts';

/** Calls a tool as `generateText` of the AI SDK does. */
async function callAsAiSdk(tools: ReturnType<typeof toAiSdkTools>, said: Said): Promise<void> {
  const input = { value: 'a' };
  const request = { type: 'tool-approval-request', approvalId: 'r', toolCallId: 'g' };
  const response = { type: 'tool-approval-response', approvalId: 'r', approved: said === 'yes' };
  const messages = [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: [request] },
    ...(said === 'nothing' ? [] : [{ role: 'tool', content: [response] }]),
  ];
  // The options that the integration reads.
  const options = { toolCallId: 'g', messages } as unknown as AiSdkCallOptions;
  await tools['guarded']?.execute(input, options);
}

/** The path through another program that has the history. */
const over = (carry: (messages: readonly Message[]) => readonly Message[]): Path => ({
  take: async ({ tool: guarded }, said) => {
    const agent = probeAgent([callTo()], { toolsets: [new FunctionToolset([guarded])] });
    const { messages, output } = await expectParked(agent.run('Go.'));
    if (said !== 'nothing') {
      await agent.resume({ messages: carry(messages) }, decisionsFor(output, said));
    }
  },
});

/** The integrations, by the names of their folders. */
export const integrationPaths: Readonly<Record<string, Path>> = {
  'integration ai-sdk': {
    take: ({ tool: guarded }, said) => callAsAiSdk(toAiSdkTools([guarded]), said),
  },
  'integration ai-sdk, a tool of theirs': {
    hasOwnGuard: true,
    take: async ({ ran }, said) => {
      const theirs = { inputSchema: z.object({}), needsApproval: true, execute: ran };
      const agent = probeAgent([calls('theirs', {}, { id: 'g' })], {
        tools: [fromAiSdkTool(theirs, { name: 'theirs' })],
      });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'integration ai-sdk-ui': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], { tools: [guarded] });
      const chat = chatWith(storedServer(agent));
      await say(chat, 'Go.');
      if (said === 'nothing') return;
      for (const id of requestedApprovals(chat)) await decide(chat, id, said === 'yes');
    },
  },
  'integration ag-ui': {
    take: async ({ tool: guarded }, said) => {
      const agent = probeAgent([callTo()], { tools: [guarded] });
      const client = storedThreads(agent, {}, current).client();
      await sayInThread(client, 'Go.');
      if (said === 'nothing') return;
      await decideThread(client, [{ approved: said === 'yes' }]);
    },
  },
  'integration mcp': {
    hasOwnGuard: true,
    take: async ({ ran }, said) => {
      const server = serverInMemory('echo', ran);
      const agent = probeAgent([calls('echo', {}, { id: 'g' })], {
        toolsets: [new McpToolset({ id: 'memory', endpoint: 'memory', transport: server })],
      });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'integration otel': {
    take: async ({ tool: guarded }, said) => {
      const capabilities = [otel({ tracer: recordSpans().tracer, includeContent: true })];
      const agent = probeAgent([callTo()], { tools: [guarded], capabilities });
      await resumeWith(agent, agent.run('Go.'), said);
    },
  },
  'integration pydantic': over((messages) =>
    pydanticMessageCodec.parse(pydanticMessageCodec.stringify(messages)),
  ),
  'integration sealed': {
    take: async ({ tool: guarded }, said) => {
      const ledger = new MemoryLedger();
      const sealed = sealedRuns({
        keys: { own: crypto.getRandomValues(new Uint8Array(32)) },
        audience: 'tests',
        expiresIn: 60_000,
        ledger,
      });
      const agent = probeAgent([callTo()], { tools: [guarded], durability: { ledger } });
      const token = await sealed.seal(await expectParked(agent.run('Go.')));
      if (said === 'nothing') return;
      const { requests } = await sealed.open(token);
      await sealed.resume(agent, token, decisionsFor(requests, said));
    },
  },
};
