import { UserError } from 'holdpoint';
import { checkPerson, checkRoles } from '../desk/check-decision.ts';
import { checkWhole } from '../model/check-whole.ts';
import {
  adviceFor,
  checkFunction,
  checkOptions,
  checkSwitch,
  isRecord,
  kindOf,
} from '../model/check-keys.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';

/** The person who uses a client. Calls are requested, and forms are decided, in this name. */
export interface McpCaller {
  readonly person: Person;
  /** The roles of the person, for the policy of the desk. */
  readonly roles?: readonly string[] | undefined;
}

/** Options of `mcpServer`. */
export interface McpServerOptions<Name extends string = string> {
  /**
   * The secret that protects the state of calls which clients keep: at least 32 random bytes. All processes that serve
   * the same clients share it.
   */
  readonly stateKey: Uint8Array;
  /** The agents to offer; all agents of the desk by default. */
  readonly agents?: readonly Name[] | undefined;
  /** The descriptions of agents for clients, by name. */
  readonly descriptions?: Readonly<Partial<Record<Name, string>>> | undefined;
  /**
   * Lets callers decide in a form of their client, if the policy permits the caller to decide: for all holds, or for
   * those for which the function returns `true`. By default calls are decided at the desk.
   */
  readonly forms?: boolean | ((hold: HoldRow) => boolean) | undefined;
  /**
   * Records the decline of a form as the denial of the caller. Some clients decline forms without showing them, so a
   * declined form leaves the hold open by default.
   */
  readonly trustDeclines?: boolean | undefined;
  /** The time that a request waits for a decision, in milliseconds; 25 seconds by default. */
  readonly waitMs?: number | undefined;
  /** The time for which the state of a call is valid, in milliseconds; one hour by default. */
  readonly stateExpiresIn?: number | undefined;
  /** The name of the server; `holdpoint` by default. */
  readonly name?: string | undefined;
}

/** Options of `server.http`. */
export interface McpHttpServerOptions {
  /** Identifies the caller of a request. Return `undefined` to reject it with 401. */
  readonly authorize: (request: Request) => McpCaller | undefined | Promise<McpCaller | undefined>;
}

/** Options of `mcpServer`, validated and with defaults. */
export interface McpSettings {
  readonly stateKey: Uint8Array;
  readonly agents: readonly string[];
  readonly descriptions: Readonly<Partial<Record<string, string>>>;
  readonly mayUseForm: (hold: HoldRow) => boolean;
  readonly trustDeclines: boolean;
  readonly waitMs: number;
  readonly stateExpiresIn: number;
  readonly name: string;
}

const MIN_KEY_BYTES = 32;
const DEFAULT_WAIT_MS = 25_000;
const HOUR_MS = 3_600_000;

/** Validates the options of `mcpServer` for a desk with these agents. */
export function checkMcpOptions(
  options: McpServerOptions,
  agentNames: readonly string[],
): McpSettings {
  checkOptions<McpServerOptions>('`mcpServer`', options, {
    stateKey: true,
    agents: true,
    descriptions: true,
    forms: true,
    trustDeclines: true,
    waitMs: true,
    stateExpiresIn: true,
    name: true,
  });
  const { stateKey, agents = agentNames, descriptions = {}, forms = false } = options;
  const { waitMs = DEFAULT_WAIT_MS, stateExpiresIn = HOUR_MS, name = 'holdpoint' } = options;
  if (!(stateKey instanceof Uint8Array) || stateKey.length < MIN_KEY_BYTES) {
    throw new UserError(
      `\`stateKey\` of \`mcpServer\` must be at least ${MIN_KEY_BYTES} random bytes. Pass \`randomBytes(32)\`, and keep it.`,
    );
  }
  if (!isRecord(descriptions)) {
    throw new UserError(
      `\`descriptions\` of \`mcpServer\` is ${kindOf(descriptions)}. Pass texts by the names of agents.`,
    );
  }
  if (!Array.isArray(agents) || agents.length === 0) {
    throw new UserError('`mcpServer` offers no agent. Pass names of the desk in `agents`.');
  }
  for (const agent of [...agents, ...Object.keys(descriptions)]) {
    if (agentNames.includes(agent)) continue;
    throw new UserError(`The desk has no agent \`${agent}\`. ${adviceFor(agent, agentNames)}`);
  }
  if (typeof name !== 'string' || name === '') {
    throw new UserError(`\`name\` of \`mcpServer\` is ${kindOf(name)}. Pass a text.`);
  }
  return {
    stateKey,
    agents,
    descriptions,
    mayUseForm: formRule(forms),
    trustDeclines: checkSwitch('trustDeclines', options.trustDeclines),
    waitMs: checkWhole('waitMs', waitMs),
    stateExpiresIn: checkWhole('stateExpiresIn', stateExpiresIn),
    name,
  };
}

function formRule(forms: NonNullable<McpServerOptions['forms']>): (hold: HoldRow) => boolean {
  if (typeof forms === 'function') {
    const rule = checkFunction('forms', forms) ?? (() => false);
    // Programs without types may return anything. Only `true` permits a form.
    return (hold) => (rule(hold) as unknown) === true;
  }
  const isPermitted = checkSwitch('forms', forms);
  return () => isPermitted;
}

/** Validates a caller. */
export function checkCaller(caller: McpCaller): McpCaller {
  checkOptions<McpCaller>('the caller of an MCP server', caller, { person: true, roles: true });
  return {
    person: checkPerson('the caller', caller.person),
    roles: checkRoles(caller.roles ?? []),
  };
}
