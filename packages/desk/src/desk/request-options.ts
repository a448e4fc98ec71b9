import { type JsonObject, type JsonValue, UserError } from 'holdpoint';
import { askPolicy } from '../approvers/ask-policy.ts';
import { checkRule } from '../approvers/check-rule.ts';
import type { EffectiveCall } from '../approvers/effective-call.ts';
import type { Policy } from '../approvers/policy.ts';
import { PolicyError } from '../errors/policy-error.ts';
import type { ApproverRule, Requirement } from '../model/approver-rule.ts';
import { checkOptions, isRecord, isThenable, type KeysOf, kindOf } from '../model/check-keys.ts';
import { toJson } from '../model/json.ts';
import type { Person } from '../model/person.ts';
import { isOutsideAgent } from '../model/request-facts.ts';
import { checkName } from './check-name.ts';
import { checkWhole } from '../model/check-whole.ts';

/** A tool that other programs execute, after approvers of this desk approved the call. */
export interface OutsideTool {
  /** The rule for its calls, or a function that returns it. `{}` lets every approver decide. */
  readonly approvers: ApproverRule | ((call: EffectiveCall) => ApproverRule);
  /** The JSON Schema of its arguments. Without it, each request sends one. */
  readonly schema?: JsonObject | undefined;
  /** The name of the tool for people. */
  readonly title?: string | undefined;
  /** The time in which a request must be decided, in milliseconds; `expiresAfter` of the desk by default. */
  readonly expiresAfter?: number | undefined;
}

/** Options for requests from outside. */
export interface RequestOptions<Tool extends string = string> {
  /** The tools by name. A request for another tool is rejected. */
  readonly tools: { readonly [Name in Tool]: OutsideTool };
}

/** Options of `desk.request`. */
export interface NewRequestOptions {
  /** The caller who owns the request: only they can claim its call. */
  readonly by: Person;
  /** The person on whose behalf the call executes; the owner by default. */
  readonly requester?: Person | undefined;
  /** The JSON Schema of the arguments, if the tool declares none. */
  readonly schema?: JsonObject | undefined;
  /** The effect of the call, for approvers. */
  readonly preview?: JsonValue | undefined;
  /** The title of the request in lists of runs. Approvers of its hold are shown `preview` and `context`. */
  readonly description?: string | undefined;
  /** Facts for the policy, which receives them as `metadata`. */
  readonly context?: JsonObject | undefined;
  /** The time in which it must be decided, in milliseconds. The policy may demand less. */
  readonly expiresAfter?: number | undefined;
  /** The same key from the same owner returns the same request. */
  readonly idempotencyKey?: string | undefined;
}

export const NEW_REQUEST_OPTIONS: KeysOf<NewRequestOptions> = {
  by: true,
  requester: true,
  schema: true,
  preview: true,
  description: true,
  context: true,
  expiresAfter: true,
  idempotencyKey: true,
};

/** An outside tool, validated. */
export interface DeclaredTool {
  readonly ruleFor: (call: EffectiveCall) => Requirement;
  readonly schema: JsonObject | undefined;
  readonly title: string | undefined;
  readonly expiresAfter: number | undefined;
}

/** The outside tools of a desk by name. */
export type DeclaredTools = ReadonlyMap<string, DeclaredTool>;

/** Validates the option `requests`. */
export function outsideToolsOf(options: RequestOptions | undefined): DeclaredTools {
  if (options === undefined) return new Map();
  checkOptions<RequestOptions>('`requests`', options, { tools: true });
  // Programs without types pass anything.
  const tools: unknown = options.tools;
  if (!isRecord(tools)) {
    throw new UserError(
      `\`requests.tools\` is ${kindOf(tools)}. Pass an object: { refund: { approvers: {} } }.`,
    );
  }
  return new Map(Object.entries(options.tools).map(([name, tool]) => [name, declared(name, tool)]));
}

function declared(name: string, tool: OutsideTool): DeclaredTool {
  const what = `\`requests.tools.${checkName('name of a tool', name)}\``;
  checkOptions<OutsideTool>(what, tool, TOOL_OPTIONS);
  const { approvers, schema, title, expiresAfter } = tool;
  if (approvers === undefined) {
    throw new UserError(
      `${what} has no \`approvers\`, so it is unknown who may approve its calls. Pass a rule; {} lets every approver decide.`,
    );
  }
  if (expiresAfter !== undefined) checkWhole(`requests.tools.${name}.expiresAfter`, expiresAfter);
  return Object.freeze({
    ruleFor: ruleOf(what, approvers),
    schema: schema === undefined ? undefined : checkSchema(`The \`schema\` of ${what}`, schema),
    title: title === undefined ? undefined : String(title).slice(0, 200),
    expiresAfter,
  });
}

const TOOL_OPTIONS: KeysOf<OutsideTool> = {
  approvers: true,
  schema: true,
  title: true,
  expiresAfter: true,
};

function ruleOf(what: string, approvers: OutsideTool['approvers']): DeclaredTool['ruleFor'] {
  if (typeof approvers !== 'function') {
    const rule = checkRule(`${what} \`approvers\``, approvers);
    return () => rule;
  }
  return (call) => {
    const rule: unknown = askPolicy('approvers', () => approvers(call));
    if (typeof rule !== 'object' || rule === null || isThenable(rule)) {
      throw new PolicyError(
        `\`approvers\` of ${what} returned ${kindOf(rule)}, so the call stays undecided. Return a rule; {} lets every approver decide.`,
      );
    }
    try {
      // `checkRule` validates it.
      return checkRule(`the rule of ${what}`, rule as ApproverRule);
    } catch (error) {
      throw new PolicyError(String(error), { cause: error });
    }
  };
}

/** Validates that a schema is a JSON object, and returns it as frozen data. */
export function checkSchema(what: string, schema: unknown): JsonObject {
  if (!isRecord(schema)) {
    throw new UserError(`${what} is ${kindOf(schema)}. Pass a JSON Schema, which is an object.`);
  }
  // The JSON of an object is an object.
  return toJson(schema) as JsonObject;
}

/**
 * Returns a policy that applies the rules of outside tools to requests. A tool that this process does not declare has
 * the requirement that is stored with the hold.
 */
export function withOutsideTools(policy: Policy, tools: DeclaredTools): Policy {
  const toolOf = ({ agent, toolName }: EffectiveCall) =>
    isOutsideAgent(agent) ? tools.get(toolName) : undefined;
  return Object.freeze({
    ...policy,
    ruleFor: (call: EffectiveCall) =>
      isOutsideAgent(call.agent) ? toolOf(call)?.ruleFor(call) : policy.ruleFor(call),
    expiresAfter: (call: EffectiveCall) => {
      const own = call.inDoubt === undefined ? toolOf(call)?.expiresAfter : undefined;
      return own ?? policy.expiresAfter(call);
    },
  });
}
