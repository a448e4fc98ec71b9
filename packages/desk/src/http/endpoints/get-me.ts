import { z } from '@hono/zod-openapi';
import type { Person } from '../../model/person.ts';
import { personSchema } from '../views/person-view.ts';
import type { Endpoint } from './endpoint.ts';

/** Whoever asks, as the desk knows them, and what they can start. */
export interface MeView {
  /** Whose runs they see. */
  readonly tenant: string;
  readonly person: Person;
  readonly roles: readonly string[];
  /** The names of the agents that runs can be started with. */
  readonly agents: readonly string[];
  /** Where they can sign out, by `POST`; absent if they came in otherwise. */
  readonly signOut?: string | undefined;
}

export const getMe: Endpoint<unknown, unknown, unknown, MeView> = {
  method: 'get',
  path: '/me',
  name: 'getMe',
  summary: 'Who you are to the desk, whose runs you see, and which agents there are.',
  status: 200,
  result: z
    .strictObject({
      tenant: z.string(),
      person: personSchema,
      roles: z.array(z.string()),
      agents: z.array(z.string()),
      signOut: z.string().optional(),
    })
    .openapi('Me'),
  async handle({ desk, caller: { tenant, person, roles = [], signOut } }) {
    const me = { tenant, person, roles, agents: desk.agents };
    return signOut === undefined ? me : { ...me, signOut };
  },
};
