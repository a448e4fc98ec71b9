import {
  type Desk,
  type EvaluatedHold,
  openDesk,
  type Page,
  type Requirement,
  type SimulatedHold,
  type SimulatePolicyOptions,
} from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { exitWith, UsageError } from '../errors.ts';
import { loadModule } from '../modules/load-module.ts';
import type { Line } from '../terminal/lines.ts';
import { Screen } from '../terminal/screen.ts';
import { DEFAULT_TENANT } from './connection.ts';
import { shortLength } from './find-id.ts';
import { duration, personText, printJson } from './format.ts';
import { withDeskOf } from './maintenance.ts';
import { openStore } from './sqlite-desk.ts';

/** Options of `holdpoint policy simulate`. */
export interface SimulationOptions {
  readonly store?: string | undefined;
  readonly desk?: string | undefined;
  readonly tenant?: string | undefined;
  /** A time in ISO 8601. */
  readonly since?: string | undefined;
  /** A time in ISO 8601. */
  readonly until?: string | undefined;
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  readonly json?: true | undefined;
}

/** Evaluates the policy of a file on settled holds, and prints a page of results. */
export async function simulatePolicy(path: string, options: SimulationOptions): Promise<void> {
  const { tenant = DEFAULT_TENANT, since, until, limit, after, json } = options;
  const query: SimulatePolicyOptions = {
    approvers: await loadApprovers(path),
    ...(since !== undefined && { since: Date.parse(since) }),
    ...(until !== undefined && { until: Date.parse(until) }),
    limit,
    after,
  };
  await withDeskIn(options, async (desk) => {
    const page = await desk.forTenant(tenant).simulatePolicy(query);
    if (json) printJson(page);
    else printPage(page);
    exitWith(page.items.some(({ status }) => status === 'failed') ? 1 : 0);
  });
}

async function loadApprovers(path: string): Promise<SimulatePolicyOptions['approvers']> {
  const [, approvers] = (await loadModule(path)).find(([name]) => name === 'approvers') ?? [];
  if (approvers === undefined) {
    throw new UserError(
      `\`${path}\` exports no \`approvers\`. Add \`export const approvers = { roles: ['…'] }\`, or another policy.`,
    );
  }
  // The desk validates it.
  return approvers as SimulatePolicyOptions['approvers'];
}

/** Opens the desk of a SQLite file or of a desk file, works with it and closes it. */
async function withDeskIn(
  { store: file, desk: deskFile }: SimulationOptions,
  work: (desk: Desk) => Promise<void>,
): Promise<void> {
  if (deskFile !== undefined && file === undefined) return withDeskOf(deskFile, work);
  if (file === undefined || deskFile !== undefined) {
    throw new UsageError('Pass either `--store <file>` or `--desk <desk-file>`.');
  }
  const desk = openDesk({ store: await openStore(file), agents: {} });
  try {
    await work(desk);
  } finally {
    await desk.close();
  }
}

function printPage({ items, next }: Page<SimulatedHold>): void {
  const screen = new Screen(process.stdout);
  if (items.length === 0) return screen.plain({ text: 'No settled holds match.', style: 'dim' });
  const length = shortLength(items.map(({ holdId }) => holdId));
  for (const hold of items) screen.plain(...linesOf(hold, hold.holdId.slice(0, length)));
  screen.plain({ text: '' }, { text: totalsOf(items), style: 'bold' });
  if (next === undefined) return;
  screen.plain({ text: `More: --limit 500, or --after ${next}`, style: 'dim' });
}

function linesOf(hold: SimulatedHold, id: string): readonly Line[] {
  const { toolName, agent, outcome = '', decision, decidedBy, createdAt } = hold;
  const end = decision === undefined ? outcome : `${outcome}: ${decision}`;
  const by = decidedBy === undefined ? '' : `, by ${decidedBy.kind}`;
  const time = new Date(createdAt).toISOString();
  const head: Line = { label: { text: `${id}  `, style: 'bold' }, text: toolName };
  const facts: Line = {
    label: { text: '  ' },
    text: `${time}, agent ${agent}, ${end}${by}`,
    style: 'dim',
  };
  const was: Line = { label: { text: '  required  ' }, text: textOf(hold.required) };
  if (hold.status === 'failed') {
    return [
      head,
      facts,
      was,
      { label: { text: '  policy    ' }, text: `failed: ${hold.problem}`, style: 'red' },
    ];
  }
  const { status, isChanged, demanded } = hold;
  return [
    head,
    facts,
    was,
    { label: { text: '  demands   ' }, text: isChanged ? textOf(demanded) : 'the same' },
    {
      label: { text: '  votes     ' },
      text: resultText(hold),
      style: status === 'not-met' ? 'yellow' : undefined,
    },
  ];
}

function resultText({ status, votes, counted }: EvaluatedHold): string {
  if (status === 'denied') return 'denied';
  if (status === 'changes-requested') return 'changes requested';
  const names = counted.length === 0 ? '' : `: ${counted.map(personText).join(', ')}`;
  return `${status === 'met' ? 'met' : 'not met'}, ${counted.length} of ${votes.length} count${names}`;
}

/** Formats requirements, all of which must be met. */
function textOf(requirements: readonly Requirement[]): string {
  return requirements.map(requirementText).join('; and ');
}

function requirementText(requirement: Requirement): string {
  const { roles = [], people = [], count, notRequester, decisionValidFor } = requirement;
  const { grants, escalate = [] } = requirement;
  const names = [...roles.map((role) => `role ${role}`), ...people];
  return [
    names.length === 0 ? 'every approver' : names.join(' or '),
    `${count} ${count === 1 ? 'approval' : 'approvals'}`,
    ...(notRequester ? ['not by the requester'] : []),
    ...escalate.map(
      ({ afterMs, also }) =>
        `after ${duration(afterMs)} also ${[...(also.roles ?? []), ...(also.people ?? [])].join(', ')}`,
    ),
    ...(decisionValidFor === undefined ? [] : [`valid for ${duration(decisionValidFor)}`]),
    ...(grants === 'never' ? [] : [`grants: ${grants}`]),
  ].join(', ');
}

function totalsOf(items: readonly SimulatedHold[]): string {
  const count = (isCounted: (hold: SimulatedHold) => boolean) => items.filter(isCounted).length;
  const total = `${items.length} ${items.length === 1 ? 'hold' : 'holds'}`;
  const changed = count((hold) => hold.status !== 'failed' && hold.isChanged);
  const notMet = count(({ status }) => status === 'not-met');
  const failed = count(({ status }) => status === 'failed');
  return `${total}: ${changed} with another requirement, ${notMet} not met, ${failed} failed.`;
}
