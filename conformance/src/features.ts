import type { Scenario } from './scenario.ts';

/**
 * Features beyond the plain loop. The value is true if both the library and the replayer support
 * the feature.
 */
export const SUPPORTED = {
  deferral: true,
  handlers: true,
  toolsets: true,
  'filtered toolset': true,
  'prepared toolset': true,
  'metadata toolset': true,
  'defer_loading toolset': true,
  lifecycle: true,
  'tool search': true,
  'prepare tools': true,
  'run_stream mode': false,
};

export type Feature = keyof typeof SUPPORTED;

/** Returns the unsupported features that a scenario needs. */
export function missingFeatures(scenario: Scenario): Feature[] {
  return [...featuresOf(scenario)].filter((feature) => !SUPPORTED[feature]);
}

/** Returns the features beyond the plain loop that the text of a scenario requires. */
export function featuresOf({ agents, runs, enter_agent }: Scenario): ReadonlySet<Feature> {
  const features = new Set<Feature>();
  if (enter_agent) features.add('lifecycle');
  visit({ agents, runs }, (key, value) => {
    const feature = featureOf(key, value);
    if (feature) features.add(feature);
  });
  return features;
}

const DEFERRING: readonly unknown[] = [
  'require_approval',
  'raise_approval',
  'defer',
  'kind',
  'kind_from_step',
];

/** Toolsets that count as separate features. */
const TOOLSETS: readonly unknown[] = ['filtered', 'prepared', 'metadata', 'defer_loading'];

function featureOf(key: string, value: unknown): Feature | undefined {
  switch (key) {
    case 'do':
      return DEFERRING.includes(value) ? 'deferral' : undefined;
    case 'requires_approval':
      return value === true ? 'deferral' : undefined;
    case 'deferred_results':
    case 'on_deferred':
      return 'deferral';
    case 'output':
      return Array.isArray(value) && value.includes('deferred') ? 'deferral' : undefined;
    case 'handlers':
      return isFilled(value) ? 'handlers' : undefined;
    case 'toolsets':
      return isFilled(value) ? 'toolsets' : undefined;
    case 'type':
      return TOOLSETS.includes(value) ? (`${String(value)} toolset` as Feature) : undefined;
    case 'defer_loading':
      return value === true ? 'tool search' : undefined;
    case 'tool_search':
      return 'tool search';
    case 'prepare_tools':
      return 'prepare tools';
    case 'mode':
      return value === 'run_stream' ? 'run_stream mode' : undefined;
    default:
      return undefined;
  }
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** Calls `onField` for every field that is not `null`, at any depth. */
function visit(value: unknown, onField: (key: string, value: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (member === null) continue;
    onField(key, member);
    visit(member, onField);
  }
}
