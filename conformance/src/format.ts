import {
  type CheckShape,
  data,
  listOf,
  object,
  oneOrMore,
  plainOr,
  recordOf,
  tagged,
  type UnknownPart,
  word,
  wordOr,
} from './check-shape.ts';
import type { Scenario } from './scenario.ts';

/** Returns the first part of a scenario that this format does not describe. */
export function unknownPart(scenario: Scenario): UnknownPart | undefined {
  return SCENARIO(scenario, '');
}

/** Creates a shape that can contain itself. */
const recursive =
  (shape: () => CheckShape): CheckShape =>
  (value, path) =>
    shape()(value, path);

const KIND = word('function', 'output', 'external', 'unapproved');

const PARAMS = recordOf(
  object({
    type: word('integer', 'number', 'string', 'boolean', 'object', 'array'),
    default: data,
  }),
);

const RUN_AGENT = {
  agent: data,
  prompt: data,
  share_usage: data,
  pass_usage_limits: data,
  on_deferred: word('describe', 'bubble'),
};

const THROW = { error: data, message: data };

/**
 * The behaviours that follow another one. A literal field `then` would make the object thenable.
 */
const [THEN, ELSE] = ['then', 'else'].map((name) => ({ [name]: recursive(() => BEHAVIOUR) }));

const BEHAVIOUR: CheckShape = tagged('do', {
  ok: {},
  return: { value: data },
  echo: {},
  retry: { message: data },
  fail: { message: data },
  tool_return: { value: data, content: data, metadata: data, tools: listOf(data) },
  tool_return_list: { values: listOf(data) },
  sleep: { ms: data, ...THEN },
  throw: THROW,
  if_arg: { arg: data, equals: data, ...THEN, ...ELSE },
  run_agent: RUN_AGENT,
  require_approval: { metadata: data, ...THEN },
  raise_approval: { metadata: data },
  defer: { metadata: data },
});

const RESULTS = {
  approvals: recordOf(
    plainOr(object({ approved: data, override_args: data, denied: data, message: data })),
  ),
  calls: recordOf(
    object({
      value: data,
      tool_return: object({ value: data, content: data, metadata: data }),
      model_retry: data,
      retry_prompt: data,
      tool_failed: data,
    }),
  ),
  metadata: data,
};

const HANDLERS = listOf(
  oneOrMore(
    tagged('do', {
      approve_all: { metadata: data },
      results: RESULTS,
      build_results: { ...RESULTS, approve_all: data },
      by_tool: { approvals: RESULTS.approvals, calls: RESULTS.calls },
      decline: {},
      throw: THROW,
      run_agent: RUN_AGENT,
    }),
  ),
);

const TOOL = object({
  name: data,
  params: PARAMS,
  behavior: oneOrMore(BEHAVIOUR),
  requires_approval: data,
  sequential: data,
  max_retries: data,
  timeout: data,
  metadata: data,
  defer_loading: data,
  description: data,
  args_validator: oneOrMore(BEHAVIOUR),
  prepare: tagged('do', {
    hide: {},
    hide_from_step: { step: data },
    kind: { kind: KIND },
    kind_from_step: { kind: KIND, step: data },
    rename: { name: data },
  }),
});

const EDIT = object({
  drop: listOf(data),
  drop_from_step: data,
  names: listOf(data),
  kind: data,
  describe: data,
  rename: recordOf(data),
  add: listOf(data),
  return_none: data,
});

const WRAPPED = recursive(() => TOOLSET);

const TOOLSET: CheckShape = tagged('type', {
  function: {
    tools: listOf(TOOL),
    id: data,
    max_retries: data,
    timeout: data,
    instructions: data,
    metadata: data,
    requires_approval: data,
  },
  external: { tools: listOf(object({ name: data, schema: data })), id: data },
  prefixed: { prefix: data, wrapped: WRAPPED },
  renamed: { map: recordOf(data), wrapped: WRAPPED },
  filtered: {
    filter: object({
      allow: listOf(data),
      deny: listOf(data),
      deny_from_step: data,
      names: listOf(data),
    }),
    wrapped: WRAPPED,
  },
  prepared: { edit: EDIT, wrapped: WRAPPED },
  approval_required: {
    when: wordOr(['always'], object({ tool_in: listOf(data), arg_gt: recordOf(data) })),
    wrapped: WRAPPED,
  },
  combined: { toolsets: listOf(WRAPPED) },
  metadata: { metadata: data, wrapped: WRAPPED },
  defer_loading: { names: listOf(data), wrapped: WRAPPED },
  dynamic: {
    by_step: listOf((value, path) => (value === null ? undefined : TOOLSET(value, path))),
    per_run_step: data,
    reuse: data,
    id: data,
  },
  logged: { tag: data, wrapped: WRAPPED, fresh_per_run: data, fail_enter: data },
});

const OUTPUT = listOf(
  wordOr(
    ['text', 'deferred', 'none'],
    object({
      name: data,
      fields: PARAMS,
      tool_name: data,
      max_retries: data,
      sequential: data,
      native: data,
    }),
  ),
);

const RETRIES = plainOr(object({ tools: data, output: data }));

const RESPONSE = object({
  parts: listOf(
    tagged('kind', {
      text: { content: data, chunks: listOf(data) },
      thinking: { content: data, chunks: listOf(data) },
      'tool-call': { tool_name: data, args: data, tool_call_id: data },
    }),
  ),
  finish_reason: data,
  error: object({ type: data, message: data }),
});

const AGENT = object({
  model: listOf(RESPONSE),
  output: OUTPUT,
  tools: listOf(TOOL),
  toolsets: listOf(TOOLSET),
  handlers: HANDLERS,
  end_strategy: word('early', 'graceful', 'exhaustive'),
  retries: RETRIES,
  tool_timeout: data,
  system_prompt: data,
  instructions: data,
  prepare_tools: EDIT,
  output_validator: oneOrMore(BEHAVIOUR),
  history_processor: tagged('do', { keep_last: { n: data }, empty: {}, drop_last: {} }),
  tool_search: object({ max_results: data }),
});

const PART = object({
  kind: word(
    'system-prompt',
    'user-prompt',
    'tool-return',
    'retry-prompt',
    'tool-availability-delta',
    'text',
    'thinking',
    'tool-call',
  ),
  content: data,
  tool_name: data,
  tool_call_id: data,
  args: data,
  outcome: data,
  metadata: data,
  tool_kind: data,
  tools_added: listOf(data),
});

const HISTORY = object({
  kind: word('request', 'response'),
  parts: listOf(PART),
  instructions: data,
  state: data,
  model: data,
  run_id: data,
  conversation_id: data,
});

const RUN = object({
  agent: data,
  prompt: data,
  history: wordOr(['none', 'previous'], (value, path) =>
    (Array.isArray(value) ? listOf(HISTORY) : object({ run: data }))(value, path),
  ),
  deferred_results: object(RESULTS),
  usage_limits: recordOf(data),
  usage: word('previous'),
  output: OUTPUT,
  toolsets: listOf(TOOLSET),
  handlers: HANDLERS,
  retries: RETRIES,
  instructions: data,
  conversation_id: data,
  run_id: data,
  parallel_mode: word('parallel', 'sequential', 'parallel_ordered_events'),
  serialize: data,
  mode: word('iter', 'stream_events', 'run_stream'),
});

const SCENARIO = object({
  name: data,
  group: data,
  description: data,
  agents: recordOf(AGENT),
  runs: listOf(RUN),
  enter_agent: data,
  expected: data,
});
