import type { HoldListQuery, HoldView, RunQuery, RunView } from '@holdpoint/desk/client';
import type { Command } from 'commander';
import {
  addDeskOptions,
  addPageOptions,
  collect,
  type CommonOptions,
  type PageOptions,
  parseDuration,
  statesOption,
  withDesk,
} from './command-line.ts';
import { HOLD_STATES } from '../desk/find-id.ts';
import { UsageError, exitWith } from '../errors.ts';

const RUN_STATES: NonNullable<RunQuery['states']> = [
  'ready',
  'running',
  'parked',
  'finished',
  'failed',
  'cancelled',
  'stuck',
];

/** Adds `holds`. */
export function addHoldCommands(program: Command): void {
  const holds = program.command('holds').summary('List or show pending calls');
  holds
    .helpCommand(false)
    .description(
      'List or show holds: the pending calls of a desk. `holdpoint holds` lists the open ones.',
    );
  const list = holds
    .command('list')
    .description('List holds, the oldest first. Without --state, list the open ones.')
    .option('--tool <name>', 'only calls of this tool')
    .option('--agent <name>', 'only holds of this agent')
    .option('--requester <id>', 'only holds of runs that this person requested')
    .option('--run <run-id>', 'only holds of this run')
    .option('--older-than <duration>', 'only older holds, such as 30m, 8h or 7d', parseDuration)
    .option('--mine', 'only holds that you may approve and have not approved')
    .option('--search <text>', 'only holds that contain this text')
    .addOption(statesOption(HOLD_STATES));
  addDeskOptions(addPageOptions(list)).action((options: CommonOptions & HoldListOptions) =>
    withDesk(options, async (client) => {
      const { listHolds } = await import('../desk/holds.ts');
      await listHolds(client, holdQuery(options), options.json ?? false);
    }),
  );
  addDeskOptions(
    holds
      .command('show <hold-id>')
      .description('Show a hold with its preview, votes and decisions.'),
  ).action((holdId: string, options: CommonOptions) =>
    withDesk(options, async (client) => {
      const { showOneHold } = await import('../desk/holds.ts');
      await showOneHold(client, holdId, options.json ?? false);
    }),
  );
}

interface HoldListOptions extends PageOptions<HoldView['state']> {
  readonly tool?: string | undefined;
  readonly agent?: string | undefined;
  readonly requester?: string | undefined;
  readonly run?: string | undefined;
  readonly olderThan?: number | undefined;
  readonly mine?: true | undefined;
  readonly search?: string | undefined;
}

function holdQuery(options: HoldListOptions): HoldListQuery {
  const { tool, agent, requester, run: runId, olderThan, mine, search: text } = options;
  const { state: states, limit, after } = options;
  const createdBefore =
    olderThan === undefined ? undefined : new Date(Date.now() - olderThan).toISOString();
  return { tool, agent, requester, runId, createdBefore, mine, text, states, limit, after };
}

/** Adds `list` and `show` of `runs`. */
export function addRunLists(runs: Command): void {
  const list = runs
    .command('list')
    .description('List runs, the latest first.')
    .option('--agent <name>', 'only runs of this agent')
    .addOption(statesOption(RUN_STATES));
  addDeskOptions(addPageOptions(list)).action(
    (options: CommonOptions & PageOptions<RunView['state']> & { readonly agent?: string }) =>
      withDesk(options, async (client) => {
        const { agent, state: states, limit, after } = options;
        const { listRuns } = await import('../desk/runs.ts');
        await listRuns(client, { agent, states, limit, after }, options.json ?? false);
      }),
  );
  addDeskOptions(
    runs
      .command('show <run-id>')
      .description('Show a run with its output or error and its open holds.'),
  ).action((runId: string, options: CommonOptions) =>
    withDesk(options, async (client) => {
      const { showOneRun } = await import('../desk/runs.ts');
      await showOneRun(client, runId, options.json ?? false);
    }),
  );
}

/** Adds `grants`. */
export function addGrantCommands(program: Command): void {
  const grants = program.command('grants').summary('List or revoke grants');
  grants
    .helpCommand(false)
    .description('List or revoke grants: stored approvals of similar calls.');
  const list = grants
    .command('list')
    .description('List grants, the latest first.')
    .option('--all', 'include expired, used and revoked grants');
  addDeskOptions(addPageOptions(list)).action(
    (options: CommonOptions & PageOptions & { readonly all?: true }) =>
      withDesk(options, async (client) => {
        const { all, limit, after } = options;
        const { listGrants } = await import('../desk/grants.ts');
        const query = { live: all ? undefined : true, limit, after };
        await listGrants(client, query, options.json ?? false);
      }),
  );
  addDeskOptions(
    grants.command('revoke <grant-id>').description('Revoke a grant. Later calls need approval.'),
  ).action((grantId: string, options: CommonOptions) =>
    withDesk(options, async (client) => {
      const { revokeGrant } = await import('../desk/grants.ts');
      await revokeGrant(client, grantId, options.json ?? false);
    }),
  );
}

/** Adds `audit`. */
export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').summary('Show or verify the audit of a run');
  audit.helpCommand(false).description('Show or verify the audit of a run.');
  addDeskOptions(
    audit
      .command('show <run-id>')
      .description('Print the audit entries of a run; with --json, one JSON line each.'),
  ).action((runId: string, options: CommonOptions) =>
    withDesk(options, async (client) => {
      const { showAudit } = await import('../desk/audit.ts');
      await showAudit(client, runId, options.json ?? false);
    }),
  );
  const verify = audit
    .command('verify <run-id>')
    .description(
      'Detect edited, moved and deleted audit entries by their hash chain. A rewritten chain is detected up ' +
        'to the last checkpoint that you pass. Prints what it cannot detect. Exits with 1 if the audit is damaged.',
    )
    .option(
      '--checkpoint <file>',
      'signed checkpoints that you stored elsewhere, as JSON; repeatable',
      collect,
    )
    .option('--key <id=file>', 'public key of checkpoints, as PEM; repeatable', collect);
  addDeskOptions(verify).action(
    (
      runId: string,
      options: CommonOptions & {
        readonly checkpoint?: readonly string[];
        readonly key?: readonly string[];
      },
    ) => {
      const { tenant, checkpoint: checkpoints = [], key = [], json: isJson = false } = options;
      const keys = Object.fromEntries(key.map(readKey));
      // At a served desk, the token determines the tenant, and `--tenant` is the expected one.
      const location = options.store === undefined ? { ...options, tenant: undefined } : options;
      return withDesk(location, async (client) => {
        const { verifyRun } = await import('../desk/audit.ts');
        exitWith(await verifyRun(client, { runId, tenant, checkpoints, keys, isJson }));
      });
    },
  );
}

function readKey(text: string): readonly [id: string, path: string] {
  const index = text.indexOf('=');
  if (index > 0) return [text.slice(0, index), text.slice(index + 1)];
  throw new UsageError(
    `\`--key\` is \`${text}\`, without the id of the key. Pass \`--key <id>=<file>\`.`,
  );
}
