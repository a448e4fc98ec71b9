import { Agent, type Tool } from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import {
  calls,
  type FunctionModel,
  functionModel,
  type ResponseLike,
  says,
} from 'holdpoint/testing';
import { present } from './present.ts';
import { resultsIn } from './toolsets.ts';

/** An agent that needs no deps. */
export type PlainAgent = Agent<readonly Tool[]>;

/**
 * Creates a model that sends these responses in each run, and then finishes. It serves any number of
 * runs.
 */
export function following(...script: readonly ResponseLike[]): FunctionModel {
  return functionModel(({ messages }) => {
    const step = messages.filter(({ kind }) => kind === 'response').length;
    return script[step] ?? says('Done.');
  });
}

/** An agent named `sub` whose model follows a script. */
export function subAgent(
  script: readonly ResponseLike[],
  options: { readonly tools?: readonly Tool[]; readonly toolsets?: PlainToolsets } = {},
): PlainAgent {
  return new Agent<readonly Tool[]>({ name: 'sub', model: following(...script), ...options });
}

/** An agent that calls the tool `sub` once and then sends text. */
export function leadAgent(
  sub: Tool,
  options: { readonly tools?: readonly Tool[]; readonly toolsets?: PlainToolsets } = {},
): PlainAgent {
  return new Agent<readonly Tool[]>({
    name: 'lead',
    model: following(calls('sub', { prompt: 'Go on.' })),
    ...options,
    tools: [sub, ...(options.tools ?? [])],
  });
}

/** A model that follows a script, and then sends the non-empty results of the tools as text. */
export function reporting(...script: readonly ResponseLike[]): FunctionModel {
  return functionModel(({ messages }) => {
    const step = messages.filter(({ kind }) => kind === 'response').length;
    if (step < script.length) return present(script[step]);
    const results = resultsIn(messages).filter((result) => result !== null);
    return says(results.map(String).join('; '));
  });
}
