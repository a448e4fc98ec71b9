import { type AnyDeskAgents, type DeskOptions, openDesk, type Store } from '@holdpoint/desk';
import { Agent, DeferredToolRequests } from 'holdpoint';
import { functionModel, says } from 'holdpoint/testing';
import { Gate } from './gate.ts';

const output = [String, DeferredToolRequests] as const;

/** A desk whose runs wait in the model until they are released, and record which of them execute. */
export function openGated(
  store: Store,
  names: readonly string[] = ['clerk'],
  options: Pick<DeskOptions<AnyDeskAgents>, 'notify'> = {},
) {
  const executing = new Map<string, number>();
  const most = new Map<string, number>();
  const order: string[] = [];
  const go = new Gate();
  const agentOf = (name: string) =>
    new Agent({
      output,
      model: functionModel(async ({ messages }) => {
        const last = messages.at(-1)?.parts.at(-1);
        const who = last?.kind === 'user-prompt' ? String(last.content) : '';
        order.push(who);
        for (const key of [who, `agent ${name}`]) {
          executing.set(key, (executing.get(key) ?? 0) + 1);
          most.set(key, Math.max(most.get(key) ?? 0, executing.get(key) ?? 0));
        }
        await go.opened;
        for (const key of [who, `agent ${name}`]) executing.set(key, (executing.get(key) ?? 0) - 1);
        return says('Done.');
      }),
    });
  const agents = Object.fromEntries(names.map((name) => [name, { agent: agentOf(name) }]));
  return { desk: openDesk({ store, agents, ...options }), executing, most, order, go };
}
