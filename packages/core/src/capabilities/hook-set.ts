import type { RunContext } from '../context/run-context.ts';
import type { DeferredToolHandler } from '../deferred/handlers.ts';
import type { Capability, CapabilityHooks } from './capability.ts';
import { checkRunHooks } from './check-capabilities.ts';

type Hook<Name extends keyof CapabilityHooks> = NonNullable<CapabilityHooks<never>[Name]>;

/** The hooks of a run, by hook point; `undefined` if no capability implements it. */
export interface HookSet {
  readonly wrapRun: readonly Hook<'wrapRun'>[] | undefined;
  readonly wrapModelRequest: readonly Hook<'wrapModelRequest'>[] | undefined;
  readonly wrapToolValidation: readonly Hook<'wrapToolValidation'>[] | undefined;
  readonly wrapToolExecution: readonly Hook<'wrapToolExecution'>[] | undefined;
  readonly wrapOutput: readonly Hook<'wrapOutput'>[] | undefined;
  readonly onEvent: readonly Hook<'onEvent'>[] | undefined;
  readonly handleDeferredToolCalls: readonly DeferredToolHandler<never>[] | undefined;
}

/** Returns the hooks of capabilities, in order. Each capability has a list of sources, of which the first with the hook counts. */
export function hookSet(capabilities: readonly (readonly CapabilityHooks<never>[])[]): HookSet {
  const all = <Name extends keyof CapabilityHooks>(name: Name): Hook<Name>[] | undefined => {
    const hooks: Hook<Name>[] = [];
    for (const sources of capabilities) {
      const source = sources.find((one) => one[name] !== undefined);
      // Hooks are functions, and may be methods of their source.
      if (source !== undefined) hooks.push((source[name] as Function).bind(source) as Hook<Name>);
    }
    return hooks.length > 0 ? hooks : undefined;
  };
  return {
    wrapRun: all('wrapRun'),
    wrapModelRequest: all('wrapModelRequest'),
    wrapToolValidation: all('wrapToolValidation'),
    wrapToolExecution: all('wrapToolExecution'),
    wrapOutput: all('wrapOutput'),
    onEvent: all('onEvent'),
    handleDeferredToolCalls: all('handleDeferredToolCalls'),
  };
}

/** The hooks of a run without capabilities. */
export const NO_HOOKS: HookSet = Object.freeze(hookSet([]));

/** Returns the hooks of one run, with those that `forRun` creates. */
export async function hooksForRun(
  capabilities: readonly Capability<never>[],
  ctx: RunContext<never>,
): Promise<HookSet> {
  const sources: CapabilityHooks<never>[][] = [];
  for (const capability of capabilities) {
    if (capability.forRun === undefined) {
      sources.push([capability]);
      continue;
    }
    const hooks = await capability.forRun(ctx);
    checkRunHooks(capability.name, hooks);
    sources.push([hooks, capability]);
  }
  return hookSet(sources);
}

const inherited = new WeakSet<Capability<never>>();

/** Marks a capability that applies to the sub-agents of a run too. Its hooks must not use the deps of the run. */
export function inheritHooks(capability: Capability): Capability {
  const frozen = Object.freeze(capability);
  inherited.add(frozen);
  return frozen;
}

/** Returns those capabilities of a run that apply to a sub-agent. A capability of the sub-agent replaces its namesake. */
export function inheritedCapabilities(
  outer: readonly Capability<never>[],
  own: readonly Capability<never>[],
): readonly Capability<never>[] {
  return outer.filter(
    (capability) => inherited.has(capability) && !own.some(({ name }) => name === capability.name),
  );
}

/**
 * Executes a function inside hooks. The first hook is the outermost.
 *
 * @example
 * const response = compose(hooks, call, (hook, value, next) => hook(value, next, ctx), request)
 */
export function compose<Wrapper, Value, Result>(
  hooks: readonly Wrapper[],
  value: Value,
  apply: (hook: Wrapper, value: Value, next: (value: Value) => Promise<Result>) => Promise<Result>,
  innermost: (value: Value) => Promise<Result>,
): Promise<Result> {
  const from = (index: number, given: Value): Promise<Result> => {
    const hook = hooks[index];
    return hook === undefined
      ? innermost(given)
      : apply(hook, given, (passed) => {
          const result = from(index + 1, passed);
          // A hook may ignore the promise. Its rejection must not end the process.
          result.catch(() => {});
          return result;
        });
  };
  return from(0, value);
}
