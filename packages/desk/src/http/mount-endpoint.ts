import { z } from '@hono/zod-openapi';
import type { Context, Hono } from 'hono';
import type { Desk } from '../desk/desk.ts';
import { notFound } from '../transitions/not-found.ts';
import { Access } from './access.ts';
import type { Caller } from './caller.ts';
import { checkInput } from './check-input.ts';
import type { DeskRules } from './desk-rules.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { readJsonBody } from './read-body.ts';
import { ConversationSecrets } from './redaction/conversation-secrets.ts';

/** What requests carry along once somebody was let in. */
export interface DeskEnv {
  Variables: { caller: Caller };
}

/** What endpoints work with. */
export interface EndpointSurroundings {
  readonly desk: Desk;
  readonly rules: DeskRules;
  readonly mostBytes: number;
}

/** Lets an endpoint answer requests. */
export function mountEndpoint(
  app: Hono<DeskEnv>,
  endpoint: Endpoint,
  { desk, rules, mostBytes }: EndpointSurroundings,
): void {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
  app.on(endpoint.method, path, async (context) => {
    const caller = context.get('caller');
    const theirs = desk.forTenant(caller.tenant);
    const result = await endpoint.handle({
      desk: theirs,
      caller,
      rules,
      secrets: new ConversationSecrets(theirs),
      access: accessOf(theirs, caller, rules),
      params: paramsOf(endpoint, context),
      query: queryOf(endpoint, context),
      body: await bodyOf(endpoint, context, mostBytes),
    });
    return Response.json(result, { status: endpoint.status });
  });
}

/** The rights of a caller, by the rules of the desk. */
export function accessOf(desk: Desk, caller: Caller, rules: DeskRules): Access {
  const { authorizeAction, onError } = rules;
  return new Access({ desk, caller, authorizeAction, onError });
}

const NO_QUERY = z.strictObject({});

/** What is no id at all is found as little as one of somebody else. */
function paramsOf({ params }: Endpoint, context: Context): unknown {
  const given: Readonly<Record<string, string>> = context.req.param();
  if (params === undefined || params.safeParse(given).success) return given;
  const [[name = '', value = ''] = []] = Object.entries(given);
  throw notFound(WHAT[name] ?? 'run', value);
}

const WHAT: Readonly<Record<string, Parameters<typeof notFound>[0]>> = {
  runId: 'run',
  holdId: 'hold',
  conversationId: 'conversation',
  grantId: 'grant',
};

/** The query; `states` is the one thing that may be said several times. */
function queryOf({ query }: Endpoint, context: Context): unknown {
  const given = Object.fromEntries(
    Object.entries(context.req.queries()).map(([name, values]) => {
      return [name, name === 'states' || values.length > 1 ? values : values[0]];
    }),
  );
  if (query !== undefined) return checkInput('query', query, given);
  return checkInput('query', NO_QUERY, given);
}

async function bodyOf({ body }: Endpoint, context: Context, mostBytes: number): Promise<unknown> {
  if (body === undefined) return undefined;
  return checkInput('body', body, await readJsonBody(context.req.raw, mostBytes));
}
