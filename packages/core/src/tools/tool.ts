import type { RunContext, ToolContext } from '../context/run-context.ts';
import { toolContextOf } from '../context/context.ts';
import { invalidOption, type OptionTable } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import { frozenCopy, type JsonObject } from '../internal/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { NativeToolKey } from '../models/native-tool.ts';
import {
  type JsonSchema,
  markDefaultsApplied,
  type OnInDoubt,
  type ToolDefinition,
} from '../models/tool-definition.ts';
import { recordGuardCheck, requireDecision, requireGuardCheck } from './approval-guard.ts';
import { checkToolOptions } from './check-tool-options.ts';
import { type SchemaValidation, checkValue, fromJsonSchema, toJsonSchema } from './input-schema.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { type CallOf, storeValidatedArgs } from './matched-call.ts';
import { parseArgs } from './parse-args.ts';
import { Permit } from './permit.ts';
import type { InferOutput, JsonSchemaConverter, StandardSchema } from './standard-schema.ts';

/**
 * The options of {@link tool}.
 *
 * Each callback has its own type of deps, so that it does not depend on the order of the callbacks. A tool
 * requires the deps of all its callbacks.
 */
export interface ToolOptions<
  Deps,
  Schema extends StandardSchema,
  ApprovalDeps = Deps,
  ValidatorDeps = Deps,
  PrepareDeps = Deps,
  PreviewDeps = Deps,
> {
  /** The name that the model calls. Optional if the tools are passed as a record, whose keys are the names. */
  readonly name?: string | undefined;
  /** A text for the model: what the tool does and when to use it. */
  readonly description?: string | undefined;
  /** The schema of the arguments. Without it the tool takes none. */
  readonly inputSchema?: Schema | undefined;
  /** The schema of the result; see `includeReturnSchema`. */
  readonly outputSchema?: StandardSchema | undefined;
  /** The function of the tool. Its arguments are validated and frozen. */
  readonly execute: (args: DeepReadonly<InferOutput<Schema>>, ctx: ToolContext<Deps>) => unknown;
  /** A further validator, which runs after the schema. It throws `ModelRetry` to reject the arguments. */
  readonly argsValidator?:
    | ArgsValidator<ValidatorDeps, DeepReadonly<InferOutput<Schema>>>
    | undefined;
  /** A function that changes the definition for one step, or returns `undefined` to leave the tool out. */
  readonly prepare?: ToolPrepare<PrepareDeps> | undefined;
  /**
   * True if an approver must approve every call before it executes. A function decides for each call, from
   * the validated arguments.
   */
  readonly requiresApproval?:
    | boolean
    | ApprovalCheck<ApprovalDeps, DeepReadonly<InferOutput<Schema>>>
    | undefined;
  /** The maximum number of consecutive retries. Defaults to the number of the agent. */
  readonly maxRetries?: number | undefined;
  /** The time limit of a call in milliseconds. After it, the model receives a retry. */
  readonly timeout?: number | undefined;
  /** True if no other call executes concurrently with a call to this tool. */
  readonly sequential?: boolean | undefined;
  /** True if the provider must enforce the schema. */
  readonly strict?: boolean | undefined;
  /** Data for the application. The model does not see it. */
  readonly metadata?: JsonObject | undefined;
  /** True if every parameter must have a description in the schema. */
  readonly requireParameterDescriptions?: boolean | undefined;
  /** A function that converts the input schema to JSON Schema, instead of the converter of its library. */
  readonly jsonSchema?: JsonSchemaConverter | undefined;
  /** True if the model receives the schema of the result. */
  readonly includeReturnSchema?: boolean | undefined;
  /** True if the model does not see the tool until a search or another tool surfaces it. */
  readonly deferLoading?: boolean | undefined;
  /** The native tool that replaces this one. If the model supports it, this tool is not offered. */
  readonly unlessNative?: NativeToolKey | undefined;
  /**
   * A function that describes the effect of a call for approvers: text, or data such as a diff or a table.
   *
   * It is called again before the approved call executes. If the result differs, the call has drifted and
   * needs another approval.
   */
  readonly preview?: ToolPreview<PreviewDeps, DeepReadonly<InferOutput<Schema>>> | undefined;
  /** True if a call executes at most once even without an approval. Requires a ledger. */
  readonly once?: boolean | undefined;
  /** True if the tool changes nothing, so that a call can execute again; see `durability.atMostOnce`. */
  readonly readOnly?: boolean | undefined;
  /** True if a second execution of a call has no further effect; see `durability.atMostOnce`. */
  readonly idempotent?: boolean | undefined;
  /**
   * The treatment of a call in doubt: an approver decides (`ask`, the default), it executes again (`retry`),
   * or the model receives a failure (`fail`).
   */
  readonly onInDoubt?: OnInDoubt | undefined;
  /** The version of the tool. Change it if the tool's effect for the same arguments changes. */
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

/** The kinds of the options of `tool()`. Schemas and `requiresApproval` are validated elsewhere. */
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
  maxRetries: 'count',
  timeout: 'milliseconds',
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

/** Validates arguments that match the schema. It throws to reject them. */
export type ArgsValidator<in Deps, in Args> = (
  args: Args,
  ctx: ToolContext<Deps>,
) => void | Promise<void>;

/** Decides whether a call needs approval before it executes. */
export type ApprovalCheck<in Deps, in Args> = (
  args: Args,
  ctx: ToolContext<Deps>,
) => boolean | Promise<boolean>;

/** A function that describes the effect of a call. */
export type ToolPreview<in Deps, in Args> = (args: Args, ctx: ToolContext<Deps>) => unknown;

/** Changes the definition of a tool for one step, or leaves the tool out. */
export type ToolPrepare<in Deps> = (
  ctx: RunContext<Deps>,
  definition: ToolDefinition,
) => ToolDefinition | undefined | Promise<ToolDefinition | undefined>;

/** The function of a tool. It executes only with a {@link Permit}. */
type ToolFunction<Deps> = (args: never, ctx: ToolContext<Deps>) => unknown;

/**
 * A function that a model can call. Use {@link tool} to make one.
 *
 * The function itself is private: a tool executes only through the gate of a run.
 */
export class Tool<
  in Deps = unknown,
  out Args = unknown,
  out Name extends string | undefined = string | undefined,
> {
  readonly name: Name;
  readonly maxRetries: number | undefined;
  readonly prepare: ToolPrepare<Deps> | undefined;
  /** Only for type inference. */
  declare readonly '~args': Args;
  readonly #definition: Omit<ToolDefinition, 'name'>;
  readonly #schema: StandardSchema;
  /** The names that toolsets gave the tool. */
  readonly #names = new Set<string>();
  readonly #execute: ToolFunction<Deps>;
  readonly #argsValidator: ArgsValidator<Deps, never> | undefined;
  readonly #approvalCheck: ApprovalCheck<Deps, never> | undefined;
  readonly #preview: ToolPreview<Deps, never> | undefined;

  /** Use {@link tool} instead, which infers the types. */
  constructor(options: ToolOptions<Deps, StandardSchema>) {
    checkToolOptions(options, TOOL_OPTIONS);
    // `tool()` infers the type of the name from the same option.
    this.name = options.name as Name;
    this.maxRetries = options.maxRetries;
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

  /** Returns the definition of the tool under a name, before `prepare`. */
  definitionAs(name: string): ToolDefinition {
    this.#names.add(name);
    return Object.freeze({ name, ...this.#definition });
  }

  /** Validates arguments with the schema. */
  check(args: unknown): SchemaValidation<unknown> | Promise<SchemaValidation<unknown>> {
    return checkValue(this.#schema, args);
  }

  /** True if the tool has a `preview` function. */
  get hasPreview(): boolean {
    return this.#preview !== undefined;
  }

  /** Calls the tool's `argsValidator`, if it has one. */
  validate(args: unknown, ctx: RunContext<Deps>): void | Promise<void> {
    return this.#argsValidator?.(args as never, toolContextOf(ctx)); // validated by the schema
  }

  /** Returns true if the tool's `requiresApproval` function requires approval for this call. */
  needsApproval(args: unknown, ctx: RunContext<Deps>): boolean | Promise<boolean> {
    if (this.#approvalCheck === undefined) return false;
    recordGuardCheck(ctx, this);
    const check = this.#approvalCheck;
    const decider = `\`requiresApproval\` of tool \`${this.name ?? ctx.toolName}\``;
    // The schema has validated the arguments.
    return requireDecision(decider, () => check(args as never, toolContextOf(ctx)));
  }

  /** Returns the preview of a call, or `undefined` if the tool has no `preview`. */
  preview(args: unknown, ctx: RunContext<Deps>): unknown {
    return this.#preview?.(args as never, toolContextOf(ctx)); // validated by the schema
  }

  /**
   * Returns true if a call is for this tool and its arguments are valid.
   *
   * @example
   * for (const call of requests.approvals) {
   *   if (deleteFile.matches(call)) show(requests.get(call).args.path)
   * }
   */
  matches(call: ToolCallPart): call is CallOf<Args> {
    if (call.toolName !== this.name && !this.#names.has(call.toolName)) return false;
    const parsed = parseArgs(call.args);
    const validated = parsed.ok ? checkValue(this.#schema, parsed.value) : parsed;
    if ('then' in validated) {
      throw new UserError(
        `The schema of tool \`${this.name}\` validates asynchronously, which \`matches()\` cannot wait for. ` +
          'Compare `call.toolName`, and use `requests.get(call.toolCallId).args`.',
      );
    }
    if (validated.ok) storeValidatedArgs(call, frozenCopy(validated.value));
    return validated.ok;
  }

  /** Executes the tool with the arguments of the permit. */
  execute(permit: Permit, ctx: RunContext<Deps>): unknown {
    if (this.#definition.kind === 'unapproved') requireGuardCheck(ctx, undefined);
    if (this.#approvalCheck !== undefined) requireGuardCheck(ctx, this);
    const args = Permit.use(permit, this);
    return this.#execute(args as never, toolContextOf(ctx)); // validated by the gate
  }
}

/**
 * Returns true if every call needs approval. Throws for a value that is neither a boolean nor a function.
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
  const label = options.name === undefined ? 'a tool' : `tool \`${options.name}\``;
  const parametersJsonSchema = toJsonSchema(
    schema,
    `The input schema of ${label}`,
    'input',
    options.jsonSchema,
  );
  requireObject(parametersJsonSchema, label);
  // JSON Schema alone validates nothing, so this process does not fill in its defaults.
  if (schema['~standard'].vendor !== 'holdpoint') markDefaultsApplied(parametersJsonSchema);
  if (options.requireParameterDescriptions) requireDescriptions(parametersJsonSchema, label);
  return {
    parametersJsonSchema,
    description: options.description,
    strict: options.strict,
    sequential: options.sequential ?? false,
    kind: alwaysRequiresApproval(options.requiresApproval, label) ? 'unapproved' : 'function',
    metadata: options.metadata,
    timeout: options.timeout,
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
    `The input schema of ${label} is not an object, but models send arguments by name. ` +
      'Pass an object schema, such as `z.object({ value: … })`.',
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
        'Add descriptions to the schema, such as `z.string().describe(…)`.',
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
