import { createHash } from 'node:crypto';
import { checkPerson } from '../desk/check-decision.ts';
import { checkName } from '../desk/check-name.ts';
import type { Caller } from '../http/caller.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { ofApplication } from '../http/authenticate.ts';
import type { Person } from '../model/person.ts';
import type { Claims, OpenIdOptions } from './open-id-options.ts';

/** Returns the caller for the claims of the provider. Throws if the person has no access. */
export async function callerOfClaims(claims: Claims, options: OpenIdOptions): Promise<Caller> {
  const { personOf = personOfSubject, rolesClaim = 'roles' } = options;
  const tenant = await tenantOf(claims, options);
  const person = await ofApplication('personOf', async () => {
    // Programs without types may return null for an unknown person.
    const found = (await personOf(claims)) ?? undefined;
    return found && checkPerson('the person who signs in', found);
  });
  if (person !== undefined && tenant !== undefined) {
    return { tenant, person, roles: rolesIn(claims, rolesClaim) };
  }
  throw new HttpProblem({
    status: 403,
    code: 'forbidden',
    message: 'You are signed in at the provider, but you have no access to this desk.',
  });
}

async function tenantOf(
  claims: Claims,
  { tenant = 'default' }: OpenIdOptions,
): Promise<string | undefined> {
  if (typeof tenant !== 'function') return tenant;
  return ofApplication('tenant', async () => {
    const found = await tenant(claims);
    return found === undefined ? undefined : checkName('tenant', found);
  });
}

const MAX_ID_LENGTH = 200;

/** Identifies a person by issuer and subject: e-mail addresses change owners, and names are not unique. */
function personOfSubject({ iss, sub, name, preferred_username }: Claims): Person {
  const whole = `${iss}#${sub}`;
  const hash = createHash('sha256').update(sub).digest('hex');
  const id = whole.length <= MAX_ID_LENGTH ? whole : `${iss}#sha256:${hash}`;
  const shown = [name, preferred_username].find((one) => typeof one === 'string' && one !== '');
  return { id, ...(shown !== undefined && { name: String(shown) }) };
}

/** Returns the roles in a claim, which is a list of texts or one text. */
function rolesIn(claims: Claims, name: string): readonly string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : memberIn(claims, name.split('.'));
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one): one is string => typeof one === 'string' && one !== '');
}

function memberIn(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return memberIn(Reflect.get(value, name), rest);
}
