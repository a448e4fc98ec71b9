// Events of a run while it executes, for docs/streaming.md.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { Agent, approveAll, DeferredToolRequests, tool } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const publish = tool({ name: 'publish', requiresApproval: true, execute: () => 'published' });
const inThreePieces = () => says('Work stops here.', { chunks: ['Work ', 'stops ', 'here.'] });

{
  const written: string[] = [];
  const write = (piece: string) => written.push(piece);
  const agent = new Agent({ model: scriptedModel(inThreePieces()) });
  // #region text
  const stream = agent.stream('What is a hold point?');
  for await (const piece of stream.textStream) write(piece);
  const { output, usage } = await stream.result;
  // #endregion
  assert.deepEqual(written, ['Work ', 'stops ', 'here.']);
  assert.equal(output, 'Work stops here.');
  assert.equal(usage.requests, 1);
}

{
  const shown: string[] = [];
  const show = (...what: unknown[]) => shown.push(what.join(' '));
  const agent = new Agent({
    model: scriptedModel(responds(says('I will.'), calls('publish')), says('It is out.')),
    tools: [publish],
  });
  // #region events
  const stream = agent.stream('Publish it.', { deferredToolHandler: approveAll() });
  for await (const event of stream) {
    switch (event.kind) {
      case 'text-delta':
        show('text:', event.text);
        break;
      case 'deferred-requests':
        show('needs approval:', event.requests.approvals[0]?.toolName);
        break;
      case 'tool-result':
        show('result:', event.part.content);
        break;
      case 'run-result':
        show('done:', event.result.output);
    }
  }
  // #endregion
  assert.deepEqual(shown, [
    'text: I will.',
    'needs approval: publish',
    'result: published',
    'text: It is out.',
    'done: It is out.',
  ]);
}

{
  const Term = z.object({ word: z.string(), meaning: z.string() });
  const argsChunks = ['{"word":"park",', '"meaning":"to', ' wait"}'];
  const model = scriptedModel(
    calls('final_result', { word: 'park', meaning: 'to wait' }, { argsChunks }),
  );
  const seen: unknown[] = [];
  // #region partial
  const agent = new Agent({ model, output: Term });
  for await (const term of agent.stream('Define park.').partialOutputs) {
    seen.push(term); // { word?: string, meaning?: string }
  }
  // #endregion
  assert.deepEqual(seen.at(0), { word: 'park' });
  assert.deepEqual(seen.at(-1), { word: 'park', meaning: 'to wait' });
}

{
  const model = scriptedModel(calls('publish'), says('Out.'));
  const agent = new Agent({ model, tools: [publish] });
  // #region stop
  const stream = agent.stream('Publish it.', { deferredToolHandler: approveAll() });
  for await (const event of stream) {
    if (event.kind === 'deferred-requests') break; // stops the run; `publish` did not execute
  }
  const { messages } = stream; // the history up to that point
  // #endregion
  assert.equal(model.remaining, 1);
  assert.equal(messages.length, 2);
}

{
  const agent = new Agent({
    model: scriptedModel(calls('publish')),
    tools: [publish],
    output: [String, DeferredToolRequests],
  });
  const kinds: string[] = [];
  // #region steps
  const run = agent.iter('Publish it.');
  for await (const step of run) kinds.push(step.kind);
  console.log(run.result?.status); // 'parked'
  // #endregion
  assert.deepEqual(kinds, ['request-model', 'call-tools', 'resolve-deferred', 'parked']);
  assert.equal(run.result?.status, 'parked');
}

{
  const kinds: string[] = [];
  const written: string[] = [];
  const write = (piece: string) => written.push(piece);
  const agent = new Agent({ model: scriptedModel(inThreePieces()) });
  // #region iter
  const run = agent.iter('What is a hold point?', {
    events: { responses: true },
    onEvent: (event) => {
      if (event.kind === 'text-delta') write(event.text);
    },
  });
  for await (const step of run) kinds.push(step.kind);
  // #endregion
  assert.deepEqual(written, ['Work ', 'stops ', 'here.']);
  assert.deepEqual(kinds, ['request-model', 'call-tools', 'finished']);
}

{
  const agent = new Agent({ model: scriptedModel(inThreePieces()) });
  // #region response
  async function POST(request: Request): Promise<Response> {
    return agent.stream(await request.text()).toResponse();
  }
  // #endregion
  const request = new Request('http://localhost/', { method: 'POST', body: 'What is it?' });
  const frames = (await (await POST(request)).text()).trim().split('\n\n');
  assert.equal(frames[3], 'data: {"kind":"text-delta","index":0,"text":"Work "}');
}

{
  const shown: string[] = [];
  const show = (...words: unknown[]) => shown.push(words.join(' '));
  const agent = new Agent({ model: scriptedModel(inThreePieces()) });
  await using desk = openDesk({ store: await sqliteStore(), agents: { glossary: { agent } } });
  // #region desk
  void desk.startWorker();
  const runId = await desk.start('glossary', 'What is a hold point?');
  for await (const event of desk.stream(runId)) {
    if (event.kind === 'live' && event.event.kind === 'text-delta') show('live:', event.event.text);
    if (event.kind === 'message') show('stored:', event.position, event.message.kind);
    if (event.kind === 'state') show('state:', event.run.state);
  }
  // #endregion
  assert.deepEqual(
    shown.filter((line) => line.startsWith('stored')),
    ['stored: 0 request', 'stored: 1 response'],
  );
  assert.equal(shown.at(-1), 'state: finished');
}

{
  const agent = new Agent({ model: scriptedModel(inThreePieces()) });
  // #region server
  const server = createServer(async (_request, response) => {
    const disconnected = new AbortController();
    response.on('close', () => disconnected.abort());
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
    const stream = agent.stream('What is a hold point?', { signal: disconnected.signal });
    try {
      for await (const piece of stream.textStream) response.write(piece);
    } catch (error) {
      if (!disconnected.signal.aborted) console.error(error);
    }
    response.end();
  });
  // #endregion
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}`);
  assert.equal(await response.text(), 'Work stops here.');
  server.closeAllConnections();
  server.close();
}
