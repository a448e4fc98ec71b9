import { Agent, DeferredToolRequests, DeferredToolResults, type RunContext, tool } from 'holdpoint';
import { sealedRuns } from 'holdpoint/sealed';
import { scriptedModel } from 'holdpoint/testing';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';

interface User {
  readonly user: string;
}

const model = scriptedModel();
const sealed = sealedRuns({ keys: { a: new Uint8Array(32) }, audience: 'shop', expiresIn: 60_000 });
const results = new DeferredToolResults();
const whoAmI = tool({ name: 'who', execute: (_args, ctx: RunContext<User>) => ctx.deps.user });

// The output type is that of the agent…
const plain = new Agent({ model, output: [String, DeferredToolRequests] });
const ended = await sealed.resume(plain, 'token', results);
if (ended.status === 'finished') expectTypeOf(ended.output).toEqualTypeOf<string>();
else expectTypeOf(ended.output).toEqualTypeOf<DeferredToolRequests>();

// …or of the run.
const counted = await sealed.resume(plain, 'token', results, { output: z.number() });
expectTypeOf(counted.output).toEqualTypeOf<number>();

// The dependencies of the agent are required.
const agent = new Agent({ model, tools: [whoAmI] });
await sealed.resume(agent, 'token', results, { deps: { user: 'ada' } });
// @ts-expect-error: the tool reads the user.
await sealed.resume(agent, 'token', results);
await agent.run(undefined, {
  ...(await sealed.resumeOptions('token', results)),
  deps: { user: 'ada' },
});
