import type { RunContext, ToolContext } from '../context/run-context.ts';
import { toolContextOf } from '../context/tool-context.ts';
import { invalidOption, type OptionTable } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import { frozenCopy, type JsonObject } from '../internal/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { type JsonSchema, markDefaultsApplied } from '../models/json-schema.ts';
import type { NativeToolKey } from '../models/native-tool.ts';
import type { OnInDoubt, ToolDefinition } from '../models/tool-definition.ts';
import { requireDecision } from './approval-decision.ts';
import { checkToolOptions } from './check-tool-options.ts';
import {
  type SchemaValidation,
  checkValue,
  checkValueNow,
  fromJsonSchema,
  toJsonSchema,
} from './input-schema.ts';
import { recordGuardCheck, requireGuardCheck } from './consulted.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { type CallOf, storeValidatedArgs } from './matched-call.ts';
import { parseArgs } from './parse-args.ts';
import { Permit } from './permit.ts';
import type { InferOutput, JsonSchemaConverter, StandardSchema } from './standard-schema.ts';

/**
 * What a tool is made from.
 *
 * Each callback has deps of its own, so that the type of its context does not depend on the callbacks
 * before it. A tool needs the deps of all its callbacks.
 */
export interface ToolOptions<
  Deps,
  Schema extends StandardSchema,
  ApprovalDeps = Deps,
  ValidatorDeps = Deps,
  PrepareDeps = Deps,
  PreviewDeps = Deps,
> {
  /** The name the model calls it by. May be left out where tools are given as a record. */
  readonly name?: string | undefined;
  /** Tells the model what the tool does and when to use it. */
  readonly description?: string | undefined;
  /** What the arguments must be; without it the tool takes none. */
  readonly inputSchema?: Schema | undefined;
  /** What the tool returns; see `includeReturnSchema`. */
  readonly outputSchema?: StandardSchema | undefined;
  /** Does the work. The arguments are validated and frozen. */
  readonly execute: (args: DeepReadonly<InferOutput<Schema>>, ctx: ToolContext<Deps>) => unknown;
  /** Checks validated arguments before execution; throw `ModelRetry` to send them back. */
  readonly argsValidator?:
    | ArgsValidator<ValidatorDeps, DeepReadonly<InferOutput<Schema>>>
    | undefined;
  /** Changes the definition for one step, or leaves the tool out of it by returning `undefined`. */
  readonly prepare?: ToolPrepare<PrepareDeps> | undefined;
  /**
   * Whether somebody has to approve a call before it runs.
   *
   * `true` holds for every call. A function is asked for each call, with the validated arguments.
   */
  readonly requiresApproval?:
    | boolean
    | ApprovalCheck<ApprovalDeps, DeepReadonly<InferOutput<Schema>>>
    | undefined;
  /** How often the model may try again; without it the agent's number holds. */
  readonly maxRetries?: number | undefined;
  /** How long a call may take, in milliseconds; then the model is asked to try again. */
  readonly timeout?: number | undefined;
  /** Whether calls to this tool run alone. */
  readonly sequential?: boolean | undefined;
  /** Whether the provider must hold the model to the schema. */
  readonly strict?: boolean | undefined;
  /** For the application; the model does not see it. */
  readonly metadata?: JsonObject | undefined;
  /** Whether every parameter must have a description in the schema. */
  readonly requireParameterDescriptions?: boolean | undefined;
  /** Turns the input schema into JSON Schema, instead of the way the schema's library does it. */
  readonly jsonSchema?: JsonSchemaConverter | undefined;
  /** Whether the model is told what the tool returns. */
  readonly includeReturnSchema?: boolean | undefined;
  /** Whether the tool is hidden until something surfaces it, such as a search. */
  readonly deferLoading?: boolean | undefined;
  /** The native tool that makes this one unnecessary: where the model has it, this one is left out. */
  readonly unlessNative?: NativeToolKey | undefined;
  /**
   * Says what a call will do, for whoever has to approve it: text, or data such as a diff or a table.
   * It is asked again before the approved call runs; should it say something else then, the call is
   * asked about again.
   */
  readonly preview?: ToolPreview<PreviewDeps, DeepReadonly<InferOutput<Schema>>> | undefined;
  /** Whether a call runs at most once although nobody has to approve it; needs a ledger. */
  readonly once?: boolean | undefined;
  /** Whether the tool only looks, so that running a call again does no harm; see `once` of a run. */
  readonly readOnly?: boolean | undefined;
  /** Whether running a call a second time changes nothing more, so that it does no harm; see `once` of a run. */
  readonly idempotent?: boolean | undefined;
  /**
   * What becomes of a call of which the ledger does not know whether it has run: it is asked about
   * again (`ask`, the default), it runs again (`retry`), or the model is told (`fail`).
   */
  readonly onInDoubt?: OnInDoubt | undefined;
  /** Change it whenever the tool does something else with the same arguments. */
  readonly version?: string | undefined;
  /**
   * The arguments that approvers are shown and a digest binds: the `validated` ones (the default), or the
   * `input` as the model sent it.
   *
   * Set it to `input` if the schema turns arguments into values without a JSON form, such as a `Date`, a
   * `bigint` or an instance of a class. Add a `preview`, since approvers do not see the converted values.
   */
  readonly approversSee?: 'validated' | 'input' | undefined;
}

/** The options of `tool()`. Schemas and `requiresApproval` have checks of their own. */
export const TOOL_OPTIONS: OptionTable<ToolOptions<never, StandardSchema>> = {
  name: 'string',
  description: 'string',
  approversSee: ['validated', 'input'],
  inputSchema: 'any',
  outputSchema: 'any',
  execute: 'function',
  argsValidator: 'function',
  prepare: 'function',
  requiresApproval: 'any',
  maxRetries: 'number',
  timeout: 'number',
  sequential: 'boolean',
  strict: 'boolean',
  metadata: 'object',
  requireParameterDescriptions: 'boolean',
  jsonSchema: 'function',
  includeReturnSchema: 'boolean',
  deferLoading: 'boolean',
  unlessNative: 'string',
  preview: 'function',
  once: 'boolean',
  readOnly: 'boolean',
  idempotent: 'boolean',
  onInDoubt: ['ask', 'retry', 'fail'],
  version: 'string',
};

/** Checks validated arguments with the context at hand; throws to refuse them. */
export type ArgsValidator<in Deps, in Args> = (
  args: Args,
  ctx: ToolContext<Deps>,
) => void | Promise<void>;

/** Decides whether a call has to be approved before it runs. */
export type ApprovalCheck<in Deps, in Args> = (
  args: Args,
  ctx: ToolContext<Deps>,
) => boolean | Promise<boolean>;

/** Says what a call will do. */
export type ToolPreview<in Deps, in Args> = (args: Args, ctx: ToolContext<Deps>) => unknown;

/** Decides for one step what a tool looks like, or that it is not there. */
export type ToolPrepare<in Deps> = (
  ctx: RunContext<Deps>,
  definition: ToolDefinition,
) => ToolDefinition | undefined | Promise<ToolDefinition | undefined>;

/** What runs a tool's function; only a {@link Permit} gets to it. */
type ToolFunction<Deps> = (args: never, ctx: ToolContext<Deps>) => unknown;

/**
 * A function that a model can call. Made by {@link tool}.
 *
 * The function itself is not reachable: a tool executes only through the gate of a run.
 */
export class Tool<in Deps = unknown, out Args = unknown> {
  readonly name: string | undefined;
  readonly maxRetries: number | undefined;
  readonly prepare: ToolPrepare<Deps> | undefined;
  /** Only for type inference. */
  declare readonly '~args': Args;
  readonly #definition: Omit<ToolDefinition, 'name'>;
  readonly #schema: StandardSchema;
  /** The names under which toolsets have it. */
  readonly #names = new Set<string>();
  readonly #execute: ToolFunction<Deps>;
  readonly #argsValidator: ArgsValidator<Deps, never> | undefined;
  readonly #approvalCheck: ApprovalCheck<Deps, never> | undefined;
  readonly #preview: ToolPreview<Deps, never> | undefined;

  /** Use {@link tool} instead: it knows the types. */
  constructor(options: ToolOptions<Deps, StandardSchema>) {
    checkToolOptions(options, TOOL_OPTIONS);
    this.name = options.name;
    this.maxRetries = requireRetries(options);
    this.prepare = options.prepare;
    this.#schema = options.inputSchema === undefined ? NO_ARGUMENTS : options.inputSchema;
    this.#execute = options.execute;
    this.#argsValidator = options.argsValidator;
    this.#approvalCheck =
      typeof options.requiresApproval === 'function' ? options.requiresApproval : undefined;
    this.#preview = options.preview;
    this.#definition = baseDefinition(options, this.#schema);
    Object.freeze(this);
  }

  /** What the model is offered under this name, before `prepare`. */
  definitionAs(name: string): ToolDefinition {
    this.#names.add(name);
    return Object.freeze({ name, ...this.#definition });
  }

  /** Validates arguments with the schema. */
  check(args: unknown): Promise<SchemaValidation<unknown>> {
    return checkValue(this.#schema, args);
  }

  /** Whether the tool can say what a call will do. */
  get hasPreview(): boolean {
    return this.#preview !== undefined;
  }

  /** Runs the tool's own validator, if it has one. */
  validate(args: unknown, ctx: RunContext<Deps>): void | Promise<void> {
    // The arguments have passed the schema, so they are what the validator was written for.
    return this.#argsValidator?.(args as never, toolContextOf(ctx));
  }

  /** Whether this very call has to be approved; for tools that decide it call by call. */
  needsApproval(args: unknown, ctx: RunContext<Deps>): boolean | Promise<boolean> {
    if (this.#approvalCheck === undefined) return false;
    recordGuardCheck(ctx, this);
    const check = this.#approvalCheck;
    const decider = `\`requiresApproval\` of tool \`${this.name ?? ctx.toolName}\``;
    // The arguments have passed the schema, so they are what the check was written for.
    return requireDecision(decider, () => check(args as never, toolContextOf(ctx)));
  }

  /** What a call will do, in the words of the tool; `undefined` if it cannot say. */
  preview(args: unknown, ctx: RunContext<Deps>): unknown {
    // The arguments have passed the schema, so they are what the function was written for.
    return this.#preview?.(args as never, toolContextOf(ctx));
  }

  /**
   * Whether a call is one to this tool with arguments that fit it.
   *
   * @example
   * for (const call of requests.approvals) {
   *   if (deleteFile.matches(call)) show(requests.get(call).args.path)
   * }
   */
  matches(call: ToolCallPart): call is CallOf<Args> {
    if (call.toolName !== this.name && !this.#names.has(call.toolName)) return false;
    const parsed = parseArgs(call.args);
    const checked = parsed.ok ? checkValueNow(this.#schema, parsed.value) : parsed;
    if (checked === undefined) {
      throw new UserError(
        `The schema of tool '${this.name}' checks asynchronously, so matches cannot tell. ` +
          'Compare call.toolName and use requests.get(call.toolCallId).args.',
      );
    }
    if (checked.ok) storeValidatedArgs(call, frozenCopy(checked.value));
    return checked.ok;
  }

  /** Executes the tool, with the arguments that the permit was issued for. */
  execute(permit: Permit, ctx: RunContext<Deps>): unknown {
    if (this.#definition.kind === 'unapproved') requireGuardCheck(ctx, undefined);
    if (this.#approvalCheck !== undefined) requireGuardCheck(ctx, this);
    const args = Permit.use(permit, this);
    // The gate has checked the arguments against the schema.
    return this.#execute(args as never, toolContextOf(ctx));
  }
}

/**
 * Tells whether every call needs approval. Throws for a value that is neither a boolean nor a function;
 * `owner` names the tool or toolset.
 */
export function alwaysRequiresApproval(requiresApproval: unknown, owner: string): boolean {
  if (typeof requiresApproval === 'boolean') return requiresApproval;
  if (requiresApproval === undefined || typeof requiresApproval === 'function') return false;
  throw invalidOption(owner, 'requiresApproval', requiresApproval, '`true`, `false` or a function');
}

/** The schema of a tool that takes no arguments. */
const NO_ARGUMENTS: StandardSchema = {
  '~standard': {
    ...fromJsonSchema({ type: 'object', properties: {}, additionalProperties: false })['~standard'],
    validate(value) {
      const keys = Object.keys(Object(value));
      if (keys.length === 0) return { value };
      return {
        issues: keys.map((key) => ({ message: 'There is no such parameter.', path: [key] })),
      };
    },
  },
};

function baseDefinition(
  options: ToolOptions<never, StandardSchema>,
  schema: StandardSchema,
): Omit<ToolDefinition, 'name'> {
  const label = options.name === undefined ? 'a tool' : `tool '${options.name}'`;
  const owner = options.name === undefined ? 'a tool' : `tool \`${options.name}\``;
  const parametersJsonSchema = toJsonSchema(
    schema,
    `The input schema of ${label}`,
    'input',
    options.jsonSchema,
  );
  requireObject(parametersJsonSchema, label);
  // Raw JSON Schema validates nothing, so its defaults are filled in where no approver sees them.
  if (schema['~standard'].vendor !== 'holdpoint') markDefaultsApplied(parametersJsonSchema);
  if (options.requireParameterDescriptions) requireDescriptions(parametersJsonSchema, label);
  return {
    parametersJsonSchema,
    description: options.description,
    strict: options.strict,
    sequential: options.sequential ?? false,
    kind: alwaysRequiresApproval(options.requiresApproval, owner) ? 'unapproved' : 'function',
    metadata: options.metadata,
    timeout: requireTimeout(options.timeout, owner),
    deferLoading: options.deferLoading ?? false,
    returnSchema:
      options.outputSchema === undefined
        ? undefined
        : toJsonSchema(options.outputSchema, `The output schema of ${label}`, 'output'),
    includeReturnSchema: options.includeReturnSchema,
    unlessNative: options.unlessNative,
    once: options.once,
    readOnly: options.readOnly,
    idempotent: options.idempotent,
    onInDoubt: options.onInDoubt,
    version: options.version,
    approversSee: options.approversSee === 'input' ? 'input' : undefined,
  };
}

function requireObject(schema: JsonSchema, label: string): void {
  if (isObjectSchema(schema)) return;
  throw new UserError(
    `The input schema of ${label} is not an object. Models send arguments by name: ` +
      'put the value into an object, such as z.object({ value: … }).',
  );
}

function isObjectSchema(schema: JsonSchema): boolean {
  if (schema['type'] !== undefined) return schema['type'] === 'object';
  const variants = variantsOf(schema);
  return variants.length > 0
    ? variants.every(isObjectSchema)
    : 'properties' in schema || '$ref' in schema;
}

function variantsOf(schema: JsonSchema): JsonSchema[] {
  return ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => (schema[keyword] ?? []) as JsonSchema[]);
}

function requireDescriptions(schema: JsonSchema, label: string): void {
  const missing = undescribed(schema);
  if (missing.length > 0) {
    throw new UserError(
      `Parameters of ${label} have no description: ${missing.join(', ')}. ` +
        'Describe them in the schema, such as z.string().describe(…).',
    );
  }
}

function undescribed(schema: JsonSchema): string[] {
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  return [
    ...Object.keys(properties).filter((name) => !properties[name]?.['description']),
    ...variantsOf(schema).flatMap(undescribed),
  ];
}

function requireTimeout(timeout: number | undefined, label: string): number | undefined {
  if (timeout !== undefined && !(timeout > 0)) {
    throw invalidOption(label, 'timeout', timeout, 'more than 0 milliseconds');
  }
  return timeout;
}

function requireRetries(options: { name?: string | undefined; maxRetries?: number | undefined }) {
  const { maxRetries } = options;
  if (maxRetries !== undefined && !(Number.isInteger(maxRetries) && maxRetries >= 0)) {
    const owner = `tool \`${options.name ?? ''}\``;
    throw invalidOption(owner, 'maxRetries', maxRetries, 'a whole number from 0 on');
  }
  return maxRetries;
}
