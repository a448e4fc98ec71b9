import { UserError } from 'holdpoint';
import type { Approvers, Policy } from '../approvers/policy.ts';
import {
  type SettledRecord,
  simulateHold,
  type SimulatedHold,
} from '../approvers/simulate-policy.ts';
import { checkOptions, type KeysOf, kindOf } from '../model/check-keys.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Page, PageQuery } from '../model/page.ts';
import type { HoldState } from '../model/states.ts';
import type { ReadTx } from '../store/store.ts';
import type { DeskContext } from './desk-context.ts';
import { policyOf } from './policies.ts';
import { withOutsideTools } from './request-options.ts';

/** Options of `desk.simulatePolicy`. */
export interface SimulatePolicyOptions extends PageQuery {
  /** The policy to simulate, in one of the forms that `openDesk` accepts. */
  readonly approvers: Approvers;
  /** Only holds that were created at this time or later: a `Date`, or milliseconds since 1970. */
  readonly since?: Date | number | undefined;
  /** Only holds that were created before this time: a `Date`, or milliseconds since 1970. */
  readonly until?: Date | number | undefined;
}

const OPTIONS: KeysOf<SimulatePolicyOptions> = {
  approvers: true,
  since: true,
  until: true,
  after: true,
  limit: true,
};

/** The states of settled holds. */
const PAST: readonly HoldState[] = ['decided', 'expired', 'superseded', 'cancelled', 'consumed'];

/** Evaluates a policy on the settled holds of a tenant, the oldest first. It writes nothing. */
export async function simulatePolicy(
  context: DeskContext,
  tenant: string,
  options: SimulatePolicyOptions,
): Promise<Page<SimulatedHold>> {
  checkOptions<SimulatePolicyOptions>('`desk.simulatePolicy`', options, OPTIONS);
  const { after, limit } = options;
  const since = timeOf('since', options.since);
  const policy = simulatedPolicy(context, options.approvers);
  const query = {
    states: PAST,
    after,
    limit,
    // The store compares with later times only.
    createdAfter: since === undefined ? undefined : since - 1,
    createdBefore: timeOf('until', options.until),
  };
  // The policy is evaluated after the transaction, because a function of the application may be slow.
  const page = await context.store.read(async (tx) => {
    const { items, next } = await tx.holds.list(tenant, query);
    const records: SettledRecord[] = [];
    for (const hold of items) records.push(await recordOf(tx, hold));
    return { records, next };
  });
  const items = page.records.map((record) => simulateHold(policy, record));
  return { items, ...(page.next !== undefined && { next: page.next }) };
}

/** Returns the policy of the desk with other `approvers`. Everything else about it stays. */
function simulatedPolicy({ policy, outsideTools }: DeskContext, approvers: Approvers): Policy {
  // Without rules, the simulation would report no change for every hold.
  const given: unknown = approvers;
  if (given === undefined || given === null) {
    throw new UserError(
      '`desk.simulatePolicy` needs the policy to simulate. Pass `approvers`: a rule, a record of rules, or a function.',
    );
  }
  const { ruleFor } = policyOf({ approvers });
  return withOutsideTools({ ...policy, ruleFor }, outsideTools);
}

async function recordOf(tx: ReadTx, hold: HoldRow): Promise<SettledRecord> {
  const { tenant, id, decidedBy } = hold;
  const decisions = await tx.decisions.ofHold(tenant, id);
  if (decidedBy?.kind !== 'grant') return { hold, decisions };
  return { hold, decisions, grant: await tx.grants.get(tenant, decidedBy.grantId) };
}

function timeOf(option: string, time: Date | number | undefined): number | undefined {
  if (time === undefined) return undefined;
  const ms = time instanceof Date ? time.getTime() : time;
  if (Number.isSafeInteger(ms)) return ms;
  throw new UserError(
    `\`${option}\` is ${kindOf(time)}. Pass a \`Date\`, or whole milliseconds since 1970.`,
  );
}
