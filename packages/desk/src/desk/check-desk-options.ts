import { UserError } from 'holdpoint';
import { knownToolsOf } from 'holdpoint/tools';
import { checkLogger } from '../errors/logger.ts';
import {
  checkFunction,
  checkKeys,
  checkOptions,
  isRecord,
  isThenable,
  kindOf,
} from '../model/check-keys.ts';
import { isOutsideAgent } from '../model/request-facts.ts';
import { OUTBOX_KINDS } from '../model/outbox-row.ts';
import type { WebhookOptions } from '../notify/webhook-options.ts';
import { checkRedact } from '../redaction/check-redact.ts';
import { requireStore } from '../store/require-store.ts';
import { checkName } from './check-name.ts';
import type { AnyDeskAgent, RegisteredAgent } from './desk-agent.ts';
import type { DeskOptions } from './desk-options.ts';
import { checkRuledTools, type KnownTools } from './check-ruled-tools.ts';
import { ruledTools } from './policies.ts';

type AnyOptions = DeskOptions<Readonly<Record<string, AnyDeskAgent>>>;

/** Validates everything that a desk is opened with, except for its policy and for how it is served. */
export function checkDeskOptions(options: AnyOptions): void {
  requireStore('`openDesk`', options.store);
  checkAgents(options.agents);
  checkExpiry(options.expiresAfter);
  checkFunction('notify', options.notify);
  checkFunction('onError', options.onError);
  checkLogger(options.logger);
  checkTelemetry(options.telemetry);
  checkWebhooks(options.webhooks);
  checkRedact(options.redact);
  checkReasons(options.denyReasons);
  checkTools(options);
}

const MAX_REASONS = 50;
const MAX_REASON_LENGTH = 500;

function checkReasons(given: unknown): void {
  if (given === undefined) return;
  const isReason = (one: unknown) =>
    typeof one === 'string' && one.trim() !== '' && one.length <= MAX_REASON_LENGTH;
  if (Array.isArray(given) && given.length <= MAX_REASONS && given.every(isReason)) return;
  throw new UserError(
    `\`denyReasons\` is ${kindOf(given)}. Pass a list of at most ${MAX_REASONS} texts, each with 1 to ${MAX_REASON_LENGTH} characters.`,
  );
}

function checkTelemetry(telemetry: unknown): void {
  if (telemetry === undefined || typeof Object(telemetry).holdSettled === 'function') return;
  throw new UserError(
    `\`telemetry\` is ${kindOf(telemetry)}. Pass \`await deskOtel()\` of \`@holdpoint/desk/otel\`.`,
  );
}

function checkAgents(agents: unknown): void {
  if (!isRecord(agents)) {
    throw new UserError(
      `The \`agents\` of \`openDesk\` are ${kindOf(agents)}. Pass a record: { support: { agent } }.`,
    );
  }
  for (const [name, one] of Object.entries(agents)) checkAgent(name, one);
}

function checkAgent(name: string, one: unknown): void {
  checkName('name of an agent', name);
  if (isOutsideAgent(name)) {
    throw new UserError(
      `The agent \`${name}\` has the prefix of requests from outside. Use a name without \`outside:\`.`,
    );
  }
  const what = `\`agents.${name}\``;
  if (isThenable(one)) throw new UserError(`${what} is a promise. Did you forget \`await\`?`);
  if (isAgent(one)) {
    throw new UserError(`${what} is the agent itself. Pass an object: { ${name}: { agent } }.`);
  }
  if (typeof one !== 'object' || one === null) {
    throw new UserError(`${what} is ${kindOf(one)}. Pass an object: { ${name}: { agent } }.`);
  }
  checkOptions<RegisteredAgent>(what, one, { agent: true, deps: true });
  if (!isAgent(one.agent)) {
    throw new UserError(`The \`agent\` of ${what} is ${kindOf(one.agent)}. Pass an \`Agent\`.`);
  }
  checkFunction(`agents.${name}.deps`, one.deps);
}

function isAgent(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && typeof Reflect.get(value, 'iter') === 'function'
  );
}

function checkExpiry(expiresAfter: unknown): void {
  if (['undefined', 'number', 'function'].includes(typeof expiresAfter)) return;
  throw new UserError(
    `\`expiresAfter\` is ${kindOf(expiresAfter)}. Pass a number of milliseconds, or a function that returns one.`,
  );
}

function checkWebhooks(webhooks: readonly WebhookOptions[] | undefined): void {
  // Programs without types pass anything.
  const given: unknown = webhooks;
  if (given === undefined) return;
  if (!Array.isArray(given)) {
    throw new UserError(`\`webhooks\` is ${kindOf(given)}. Pass a list: [{ url, secret }].`);
  }
  for (const [index, one] of given.entries()) {
    const what = `\`webhooks[${index}]\``;
    checkOptions<WebhookOptions>(what, one, { url: true, secret: true, kinds: true });
    const kinds: unknown = one.kinds;
    if (kinds === undefined) continue;
    if (!Array.isArray(kinds)) {
      throw new UserError(`The \`kinds\` of ${what} are ${kindOf(kinds)}. Pass a list.`);
    }
    if (kinds.length === 0) {
      throw new UserError(
        `The \`kinds\` of ${what} are an empty list, so it would receive no event. Name kinds, or leave \`kinds\` out to receive all.`,
      );
    }
    checkKeys(
      `\`kinds\` of ${what}`,
      Object.fromEntries(kinds.map((kind) => [kind, true])),
      OUTBOX_KINDS,
    );
  }
}

/** Checks that every rule is for a tool of the desk. */
function checkTools({ agents, approvers, redact, requests, dynamicTools = [] }: AnyOptions): void {
  const dynamic = checkDynamicTools(dynamicTools);
  const approving = ruledTools(approvers);
  const redacting = redact && Object.keys(redact);
  if (approving === undefined && redacting === undefined) return;
  const ofAgents = Object.values(agents).map(({ agent }) => knownToolsOf(agent));
  const known: KnownTools = {
    names: [...dynamic, ...ofAgents.flatMap(({ own, nested }) => [...own, ...nested])],
    isComplete: ofAgents.every(({ isComplete }) => isComplete),
  };
  checkRuledTools('approvers', approving ?? [], known);
  // `outsideToolsOf` validates the record.
  const outside = Object.keys(Object(requests?.tools));
  checkRuledTools('redact', redacting ?? [], { ...known, names: [...known.names, ...outside] });
}

function checkDynamicTools(names: unknown): readonly string[] {
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  throw new UserError(`\`dynamicTools\` is ${kindOf(names)}. Pass a list of the names of tools.`);
}
