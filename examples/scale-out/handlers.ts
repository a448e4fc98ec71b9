// An agent inside a Restate service of your own, without a desk: docs/operate/restate-handlers.md
import { asTerminalError, onRestate } from '@holdpoint/restate';
import * as restate from '@restatedev/restate-sdk';
import { messageCodec, requestsCodec, resultsCodec, type RunResultOf } from 'holdpoint';
import { agent, type output } from './agent.ts';

// #region legs
/** One object per run. Each invocation takes the run to its next park or to its end. */
export const supportRun = restate.object({
  name: 'support-run',
  handlers: {
    async start(ctx: restate.ObjectContext, prompt: string) {
      return keep(ctx, await agent.run(prompt, await onRestate(ctx)));
    },
    async resume(ctx: restate.ObjectContext, results: string) {
      const options = await onRestate(ctx);
      const messages = messageCodec.parse((await ctx.get<string>('messages')) ?? '[]');
      return keep(ctx, await agent.resume({ messages }, resultsCodec.parse(results), options));
    },
  },
  options: { asTerminalError },
});

/** Stores the messages. While the run is parked, no invocation is open. */
function keep(ctx: restate.ObjectContext, result: RunResultOf<typeof output>) {
  ctx.set('messages', messageCodec.stringify(result.messages));
  return result.status === 'parked'
    ? { status: 'parked', requests: requestsCodec.stringify(result.output) }
    : { status: 'finished', output: result.output };
}
// #endregion

// #region awakeable
/** Awaits an approval within minutes in the same invocation, which Restate suspends. */
export const supportCall = restate.service({
  name: 'support-call',
  handlers: {
    async run(ctx: restate.Context, prompt: string) {
      const options = await onRestate(ctx);
      const result = await agent.run(prompt, {
        ...options,
        async deferredToolHandler(requests) {
          const { id, promise } = ctx.awakeable<boolean>();
          await ctx.run('notify', () => notifyApprover(id, requests.approvals.length));
          const isApproved = await options.environment.waitFor(promise);
          return requests.buildResults(
            [...requests].map((call) => (isApproved ? call.approve() : call.deny('No.'))),
          );
        },
      });
      return result.output;
    },
  },
  options: { asTerminalError },
});
// #endregion

/** The ids of awakeables that approvers received. */
export const notified: string[] = [];

function notifyApprover(awakeableId: string, _calls: number): void {
  notified.push(awakeableId);
}
