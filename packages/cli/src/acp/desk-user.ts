import { userInfo } from 'node:os';
import type { Person, ServedDesk } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import type { AcpOptions } from './options.ts';

/** The user of the editor at a desk. */
export interface DeskUser {
  readonly desk: ServedDesk;
  /** The name of the agent of new conversations. */
  readonly agent: string;
  /** The requester of the runs, who also decides in the editor. */
  readonly person: Person;
  readonly roles: readonly string[];
}

/** Returns the user of the editor, with the options of the file. */
export function deskUser(desk: ServedDesk, { agent, person, roles = [] }: AcpOptions): DeskUser {
  const names: readonly string[] = desk.agents;
  const name = agent ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined || !names.includes(name)) {
    const problem = agent === undefined ? 'several agents' : `no agent \`${agent}\``;
    throw new UserError(
      `The desk has ${problem}. Set \`agent\` in the export \`acp\` to one of these: ${names.join(', ')}.`,
    );
  }
  return { desk, agent: name, person: person ?? { id: userInfo().username }, roles };
}
