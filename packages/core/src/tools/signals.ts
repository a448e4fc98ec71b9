import { isThrown } from '../errors/thrown.ts';
import { checkOptions, invalidOption, type OptionTable } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import type { UserPrompt } from '../messages/content.ts';
import { isPlainObject, type JsonObject } from '../internal/json.ts';
import type { JsonSchema } from '../models/tool-definition.ts';
import { fromJsonSchema, toJsonSchema } from './input-schema.ts';
import type { StandardSchema } from './standard-schema.ts';

/** Thrown by a tool, a validator or an output function: the model receives the message and may try again. */
export class ModelRetry extends Error {
  override name = 'ModelRetry';
}

/** Thrown by a tool: the call failed. The model receives the message, and it does not count as a retry. */
export class ToolFailed extends Error {
  override name = 'ToolFailed';
}

/** Options of {@link ApprovalRequired} and {@link CallDeferred}. */
export interface DeferralOptions {
  /** Data for the approver or the worker; the model does not see it. */
  readonly metadata?: JsonObject | undefined;
}

const DEFERRAL_OPTIONS: OptionTable<DeferralOptions> = { metadata: 'object' };

/**
 * Thrown by a tool, its validator or a hook: the call executes once an approver approves it.
 *
 * When the approved call executes, `ctx.toolCallApproved` is set. `throw ApprovalRequired`, the class, is
 * the same as `throw new ApprovalRequired()`.
 */
export class ApprovalRequired extends Error {
  override name = 'ApprovalRequired';
  /** Data for the approver; the model does not see it. */
  readonly metadata: JsonObject | undefined;

  /**
   * Takes the metadata, or an object with the option `metadata`. An object that has an option as a member
   * is the second form, and must not have other members.
   */
  constructor(metadata?: JsonObject | DeferralOptions) {
    super('This tool call needs approval.');
    this.metadata = deferralMetadata('`ApprovalRequired`', metadata);
  }
}

/**
 * Thrown by a tool, its validator or a hook: the result of the call comes from outside the run, later.
 *
 * `throw CallDeferred`, the class, is the same as `throw new CallDeferred()`.
 */
export class CallDeferred extends Error {
  override name = 'CallDeferred';
  /** Data for the worker that produces the result; the model does not see it. */
  readonly metadata: JsonObject | undefined;

  /** Takes the same forms as {@link ApprovalRequired}. */
  constructor(metadata?: JsonObject | DeferralOptions) {
    super('The result of this tool call is produced outside the run.');
    this.metadata = deferralMetadata('`CallDeferred`', metadata);
  }
}

/** Options of {@link InputRequired}. */
export interface InputRequiredOptions {
  /** The question, as the person is shown it. */
  readonly message?: string | undefined;
  /** The schema of the input: a Standard Schema or JSON Schema; a text by default. */
  readonly schema?: StandardSchema | JsonSchema | undefined;
  /** Data for the application that asks; the model does not see it. */
  readonly metadata?: JsonObject | undefined;
  /**
   * Data for the next execution of the call, in `ctx.questionState`. The history stores it, and approvers and the model do not see it:
   * documents of pending calls do not contain it.
   */
  readonly state?: JsonObject | undefined;
}

const INPUT_OPTIONS: OptionTable<InputRequiredOptions> = {
  message: 'string',
  schema: 'object',
  metadata: 'object',
  state: 'object',
};

/**
 * Thrown by a tool or its validator: the call needs an input from a person. The call executes again
 * with it, in `ctx.input`. Throw it before the tool has an effect, because the tool starts from the
 * beginning.
 *
 * An input is not an approval: a call that needs approval still requires one.
 *
 * @example if (ctx.input === undefined) throw new InputRequired({ message: 'Which account?',
 * schema: z.enum(['A', 'B']) })
 */
export class InputRequired extends Error {
  override name = 'InputRequired';
  /** The JSON Schema of the input. */
  readonly schema: JsonSchema;
  /** Data for the application that asks; the model does not see it. */
  readonly metadata: JsonObject | undefined;
  /** Data for the next execution of the call. */
  readonly state: JsonObject | undefined;

  /** Takes the message, or options. `throw InputRequired`, the class, asks for a text without a message. */
  constructor(options: string | InputRequiredOptions = {}) {
    const given = typeof options === 'string' ? { message: options } : options;
    checkOptions('`InputRequired`', given, INPUT_OPTIONS);
    super(given.message ?? 'This tool call needs an input.');
    this.schema = inputSchemaOf(given.schema);
    this.metadata = given.metadata;
    this.state = given.state;
  }
}

const TEXT_SCHEMA: JsonSchema = Object.freeze({ type: 'string' });

function inputSchemaOf(schema: InputRequiredOptions['schema']): JsonSchema {
  if (schema === undefined) return TEXT_SCHEMA;
  const what = 'The `schema` of `InputRequired`';
  // A schema of a library may be a function or an object; JSON Schema is a plain object.
  if ('~standard' in schema) return toJsonSchema(schema as StandardSchema, what);
  return toJsonSchema(fromJsonSchema(schema as JsonSchema), what);
}

/** Options of {@link ToolReturn}. */
export interface ToolReturnOptions<Value = unknown> {
  /** The result of the call. */
  readonly returnValue: Value;
  /** Shown to the model as if a user had sent it, after the results of the step. */
  readonly content?: UserPrompt | undefined;
  /** Data for the application; the model does not see it. */
  readonly metadata?: unknown;
  /** Names of tools that the model can use from here on. */
  readonly tools?: readonly string[] | undefined;
}

const RETURN_OPTIONS: OptionTable<ToolReturnOptions> = {
  returnValue: 'any',
  content: 'value',
  metadata: 'any',
  tools: 'value',
};

/** Excludes values that could be mistaken for options. */
export type NotReturnOptions<Value> = [keyof Value & keyof ToolReturnOptions] extends [never]
  ? unknown
  : never;

/** A result of a tool with more than a value. */
export class ToolReturn<Value = unknown> {
  /** The result of the call. */
  readonly returnValue: Value;
  /** Shown to the model as if a user had sent it, after the results of the step. */
  readonly content: UserPrompt | undefined;
  /** Data for the application; the model does not see it. */
  readonly metadata: unknown;
  /** Names of tools that the model can use from here on. */
  readonly tools: readonly string[] | undefined;

  constructor(options: ToolReturnOptions<Value>);
  /**
   * Takes the options, or the value alone. A plain object that has an option as a member is the options,
   * and must not have other members. Use `returnValue` for a value with such a member.
   */
  constructor(returnValue: Value & NotReturnOptions<Value>);
  constructor(given: Value | ToolReturnOptions<Value>) {
    const options = toReturnOptions(given);
    this.returnValue = options.returnValue;
    this.content = options.content;
    this.metadata = options.metadata;
    this.tools = options.tools;
  }

  /** Throws, since a `ToolReturn` inside another value would be sent to the model as data. */
  toJSON(): never {
    throw new UserError(
      'A `ToolReturn` is inside another value, so its content would be lost. Return the `ToolReturn` itself, and ' +
        'pass the other value as its `returnValue`.',
    );
  }
}

/** The classes that a tool throws to steer the run. */
const SIGNALS: readonly (new () => Error)[] = [
  ModelRetry,
  ToolFailed,
  ApprovalRequired,
  CallDeferred,
  InputRequired,
];

/** Returns true if a thrown value is a signal, or the class of one. */
export function isSignal(thrown: unknown): boolean {
  if (typeof thrown !== 'object' && typeof thrown !== 'function') return false;
  return SIGNALS.some((signal) => thrown === signal || isThrown(thrown, signal));
}

/** Returns a thrown value, with an instance in place of the class of a signal: `throw ApprovalRequired`. */
export function toSignal(thrown: unknown): unknown {
  const thrownClass = SIGNALS.find((signal) => thrown === signal);
  return thrownClass === undefined ? thrown : new thrownClass();
}

/** Returns true if a value is the options form: a plain object with an option as a member. */
function isOptionsForm(value: unknown, table: object): boolean {
  return isPlainObject(value) && Object.keys(table).some((name) => Object.hasOwn(value, name));
}

function deferralMetadata(
  owner: string,
  given: JsonObject | DeferralOptions | undefined,
): JsonObject | undefined {
  // Untyped callers may pass `null`.
  if (given === undefined || given === null) return undefined;
  if (isOptionsForm(given, DEFERRAL_OPTIONS)) {
    checkOptions(owner, given, DEFERRAL_OPTIONS, () => 'Pass it inside of `metadata`.');
    return (given as DeferralOptions).metadata; // validated above
  }
  if (!isPlainObject(given)) throw invalidOption(owner, 'metadata', given, 'an object');
  // An object without the member `metadata` is the metadata.
  return given as JsonObject;
}

function toReturnOptions<Value>(given: Value | ToolReturnOptions<Value>): ToolReturnOptions<Value> {
  // A value that is not the options form is the value itself.
  if (!isOptionsForm(given, RETURN_OPTIONS)) return { returnValue: given as Value };
  const inside = () => 'To return an object that has this member, pass it as `returnValue`.';
  checkOptions('`ToolReturn`', given, RETURN_OPTIONS, inside);
  const options = given as ToolReturnOptions<Value>;
  if (!Object.hasOwn(options, 'returnValue')) {
    throw new UserError(
      '`ToolReturn` has options but no `returnValue`. Pass the result of the call as `returnValue`.',
    );
  }
  return options;
}
