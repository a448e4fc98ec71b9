import {
  checkOptions,
  checkRequiredOptions,
  invalidOption,
  type OptionKind,
  type OptionTable,
  ownerOf,
  passInstead,
} from '../errors/check-options.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import { requireLedger } from '../ledger/ledger.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { OutputSpec } from '../output/output-spec.ts';
import { TOOL_OPTIONS } from '../tools/tool.ts';
import { requireToolsets } from '../toolsets/require-tools.ts';
import { LIMITS, type UsageLimits } from '../usage/usage.ts';
import type {
  SharedOptions,
  DurabilityOptions,
  EventOptions,
  OverrideOptions,
  Retries,
  RunOptions,
} from './agent-options.ts';
import type { AnyAgentToolOptions } from './agent-tool.ts';
import type { AnyAgentOptions, AnyRunOptions, ResumeRunOptions } from './config.ts';

const DURABILITY: OptionTable<DurabilityOptions> = {
  ledger: 'value',
  lease: 'milliseconds',
  atMostOnce: ['opt-in', 'all-unsafe'],
  onBusy: ['error', 'wait'],
  onAlreadyResumed: ['error', 'replay'],
  onDrift: ['ask', 'deny'],
  digests: 'boolean',
  carryUsage: 'boolean',
  mayPark: 'boolean',
};

const SHARED: OptionTable<SharedOptions> = {
  durability: 'object',
  verifyApproval: 'function',
  reportEditedArgs: 'boolean',
};

const AGENT_OPTIONS: OptionTable<AnyAgentOptions> = {
  ...SHARED,
  name: 'string',
  model: 'value',
  tools: 'value',
  output: 'value',
  instructions: 'value',
  systemPrompt: 'value',
  outputValidators: 'list',
  historyProcessors: 'list',
  endStrategy: ['graceful', 'early', 'exhaustive'],
  retries: 'value',
  toolTimeout: 'milliseconds',
  modelSettings: 'object',
  usageLimits: 'object',
  metadata: 'object',
  validationContext: 'any',
  environment: 'object',
  toolsets: 'value',
  nativeTools: 'list',
  deferredToolHandler: 'function',
  capabilities: 'list',
  approvalPolicy: 'function',
};

const RUN_OPTIONS: OptionTable<RunOptions<never, OutputSpec> & { deps?: unknown }> = {
  ...SHARED,
  deps: 'any',
  onToolCalls: 'function',
  toolTimeout: 'milliseconds',
  model: 'value',
  messageHistory: 'value',
  output: 'value',
  instructions: 'value',
  retries: 'value',
  parallelMode: ['parallel', 'sequential', 'parallel-ordered-events'],
  modelSettings: 'object',
  usage: 'object',
  usageLimits: 'object',
  metadata: 'object',
  validationContext: 'any',
  signal: 'object',
  parent: 'value',
  runId: 'string',
  conversationId: 'string',
  environment: 'object',
  toolsets: 'value',
  nativeTools: 'list',
  // Validated when the run resumes.
  deferredToolResults: 'any',
  deferredToolHandler: 'function',
  capabilities: 'list',
  onPendingCalls: ['error', 'cancel'],
  onEvent: 'function',
  events: 'object',
};

const EVENT_OPTIONS: OptionTable<EventOptions> = { responses: 'value', subAgents: 'boolean' };

const { messageHistory: _, deferredToolResults: __, onPendingCalls: ___, ...RESUMED } = RUN_OPTIONS;
const RESUME_OPTIONS = { ...RESUMED, prompt: 'value' } as const;

const OVERRIDE_OPTIONS: OptionTable<OverrideOptions<never>> = {
  model: 'value',
  tools: 'value',
  deps: 'any',
  instructions: 'value',
  environment: 'object',
};

const { execute: _execute, outputSchema: _outputSchema, ...OF_TOOL } = TOOL_OPTIONS;
const AGENT_TOOL_OPTIONS: OptionTable<AnyAgentToolOptions> = {
  ...OF_TOOL,
  prompt: 'function',
  deps: 'function',
};

const RETRIES: OptionTable<Exclude<Retries, number>> = { tools: 'number', output: 'number' };

const MODEL_SETTINGS: OptionTable<ModelSettings> = {
  maxTokens: 'number',
  temperature: 'number',
  topP: 'number',
  topK: 'number',
  presencePenalty: 'number',
  frequencyPenalty: 'number',
  seed: 'number',
  stopSequences: 'list',
  toolChoice: ['auto', 'none', 'required'],
  reasoning: 'string',
  headers: 'object',
  providerOptions: 'object',
};

/** Throws a `UserError` for options of an agent that are unknown or of another type. */
export function checkAgentOptions(options: AnyAgentOptions): void {
  const owner = ownerOf(options, 'name', 'agent', 'new Agent');
  rejectMisplacedOptions(owner, options);
  checkRequiredOptions(owner, options, AGENT_OPTIONS, '`new Agent`');
  const { toolsets } = options;
  checkShared(owner, options);
  if (toolsets !== undefined) requireToolsets(owner, toolsets, 'or factories');
}

/** Throws a `UserError` for a prompt or options of a run that are unknown or of another type. */
export function checkRun(method: RunMethod, prompt: unknown, options: unknown): void {
  const owner = `\`agent.${method}\``;
  if (options !== undefined) checkRunOptions(owner, options, RUN_OPTIONS);
  if (prompt !== undefined) requirePrompt(owner, prompt);
}

function checkRunOptions(
  owner: string,
  given: unknown,
  table: Readonly<Record<string, OptionKind>>,
): void {
  rejectMisplacedOptions(owner, given);
  checkOptions(owner, given, table);
  // The table names all options of a run.
  const options = given as AnyRunOptions;
  const { messageHistory, signal, toolsets, events } = options;
  checkShared(owner, options);
  if (events !== undefined) checkEvents(`\`events\` of ${owner}`, events);
  if (toolsets !== undefined) requireToolsets(owner, toolsets, 'or factories');
  if (typeof messageHistory === 'object' && 'status' in messageHistory) {
    throw invalidOption(
      owner,
      'messageHistory',
      messageHistory,
      'the messages of a result: `result.messages`',
    );
  }
  if (signal !== undefined && typeof signal.addEventListener !== 'function') {
    throw invalidOption(owner, 'signal', signal, 'an `AbortSignal`, such as `controller.signal`');
  }
}

function checkEvents(owner: string, events: EventOptions): void {
  checkOptions(owner, events, EVENT_OPTIONS);
  // Programs without types pass anything.
  const responses: unknown = events.responses;
  if (responses === undefined || typeof responses === 'boolean') return;
  if (typeof responses === 'function') return;
  throw invalidOption(owner, 'responses', responses, '`true`, `false` or a function');
}

/** Throws a `UserError` for options of `agent.resume` that are unknown or of another type, and for an invalid parked run. */
export function checkResume(parked: unknown, options: ResumeRunOptions | undefined): void {
  const owner = '`agent.resume`';
  if (options !== undefined) {
    checkRunOptions(owner, options, RESUME_OPTIONS);
    if (options.prompt !== undefined) requirePrompt(owner, options.prompt);
  }
  const hasMessages =
    typeof parked === 'object' &&
    parked !== null &&
    'messages' in parked &&
    Array.isArray(parked.messages);
  if (hasMessages) return;
  if (typeof Object(parked).messages === 'string') {
    throw new UserError(
      `The \`messages\` of the parked run of ${owner} are a text. Call \`messageCodec.parse\` first.`,
    );
  }
  throw new UserError(
    `The parked run of ${owner} is ${showValue(parked)}. ` +
      passInstead(parked, 'the result of the parked run, or an object with its `messages`'),
  );
}

/** Throws a `UserError` for options of `agent.override` that are unknown, and for work that is not a function. */
export function checkOverride(options: unknown, work: unknown): void {
  checkRequiredOptions('`agent.override`', options, OVERRIDE_OPTIONS);
  if (typeof work === 'function') return;
  throw new UserError(
    `The work of \`agent.override\` is ${showValue(work)}. Pass a function that starts the run.`,
  );
}

/** Throws a `UserError` for options of `agent.asTool` that are unknown or of another type. */
export function checkAgentToolOptions(agentName: string | undefined, options: unknown): void {
  const owner = agentName === undefined ? '`asTool`' : `\`asTool\` of agent \`${agentName}\``;
  checkOptions(owner, options, AGENT_TOOL_OPTIONS);
}

/** The methods of an agent that start a run. */
export type RunMethod = 'run' | 'resume' | 'stream' | 'iter';

function checkShared(
  owner: string,
  {
    durability,
    retries,
    modelSettings,
    usageLimits,
  }: SharedOptions & {
    readonly retries?: Retries | undefined;
    readonly modelSettings?: ModelSettings | undefined;
    readonly usageLimits?: UsageLimits | undefined;
  },
): void {
  if (durability !== undefined) {
    if (typeof Object(durability).claim === 'function') {
      throw new UserError(
        `Option \`durability\` of ${owner} is a ledger. Pass it as \`durability: { ledger }\`.`,
      );
    }
    checkOptions(`\`durability\` of ${owner}`, durability, DURABILITY);
    if (durability.ledger !== undefined) requireLedger(owner, durability.ledger);
  }
  if (retries !== undefined && typeof retries !== 'number') {
    checkOptions('`retries`', retries, RETRIES);
  }
  if (modelSettings !== undefined) checkOptions('`modelSettings`', modelSettings, MODEL_SETTINGS);
  if (usageLimits !== undefined) checkOptions('`usageLimits`', usageLimits, LIMITS);
}

/** Options that the capability `otel` replaces. */
const TRACING: ReadonlySet<string> = new Set(['tracer', 'traceIncludeContent']);

/** Throws a `UserError` for an option of `durability` that was passed outside of it, and for options for tracing. */
function rejectMisplacedOptions(owner: string, options: unknown): void {
  for (const name in Object(options)) {
    if (TRACING.has(name)) {
      throw new UserError(
        `Unknown option \`${name}\` of ${owner}. Use \`capabilities: [otel()]\` with \`otel\` from \`holdpoint/otel\`.`,
      );
    }
    if (!Object.hasOwn(DURABILITY, name)) continue;
    throw new UserError(
      `Unknown option \`${name}\` of ${owner}. Pass it as \`durability: { ${name} }\`.`,
    );
  }
}

function requirePrompt(owner: string, prompt: unknown): void {
  if (typeof prompt === 'string' || Array.isArray(prompt)) return;
  throw new UserError(
    `The prompt of ${owner} is ${showValue(prompt)}. ${passInstead(prompt, 'a text or a list of contents')}`,
  );
}
