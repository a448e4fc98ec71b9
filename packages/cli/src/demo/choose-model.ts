import type { Model } from 'holdpoint';
import { inferModel } from 'holdpoint/models';
import { makeScript } from './script.ts';

/** What works in the demo. */
export interface ChosenModel {
  readonly model: Model;
  /** What is told about it. */
  readonly description: string;
}

const PROVIDERS = [
  { key: 'OPENAI_API_KEY', model: 'openai:gpt-5-mini' },
  { key: 'ANTHROPIC_API_KEY', model: 'anthropic:claude-sonnet-5' },
] as const;

/** A model of a provider whose key is there, or else the script. A script is all that a program can be asked about. */
export async function chooseModel(
  environment: NodeJS.ProcessEnv,
  isWatched: boolean,
): Promise<ChosenModel> {
  const script = (why: string) => ({ model: makeScript(), description: `a scripted model${why}` });
  const asked = environment['HOLDPOINT_MODEL'];
  if (asked === 'scripted' || !isWatched) return script('');
  const name = asked || PROVIDERS.find(({ key }) => environment[key])?.model;
  if (name === undefined) return script(', so no API key is needed');
  try {
    return { model: await inferModel(name), description: name };
  } catch (error) {
    if (asked) throw error;
    return script(` (${name} cannot be used: its package is not installed)`);
  }
}
