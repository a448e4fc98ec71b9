import type { Command } from 'commander';
import type { SimulationOptions } from '../desk/simulate-policy.ts';
import { addPageOptions, parseTime } from './command-line.ts';

/** Adds `policy`. */
export function addPolicyCommands(program: Command): void {
  const policy = program.command('policy').summary('Simulate a policy over past holds');
  policy.helpCommand(false).description('Simulate a policy over past holds.');
  const simulate = policy
    .command('simulate <policy-file>')
    .description(
      'Evaluate a policy on settled holds, the oldest first, and write nothing. The file is a JavaScript or TypeScript ' +
        'module that exports the new `approvers`: a rule, a record of rules by tool, or a function.\n\nFor each hold, it ' +
        'prints what the hold required, what the policy demands, and if the recorded votes meet it. If the policy fails for ' +
        'a hold, the exit code is 1.',
    )
    .option('--since <time>', 'only holds from this time on, such as 2027-01-31T18:00Z', parseTime)
    .option('--until <time>', 'only holds from before this time', parseTime);
  addPageOptions(simulate)
    .option('--json', 'print JSON')
    .optionsGroup('Desk:')
    .option('--store <file>', 'SQLite file of a desk on this machine')
    .option('--desk <desk-file>', 'file of a desk, as for `holdpoint desk`')
    .option('--tenant <id>', 'the tenant (default: default)')
    .action(async (path: string, options: SimulationOptions) => {
      const { simulatePolicy } = await import('../desk/simulate-policy.ts');
      await simulatePolicy(path, options);
    });
}
