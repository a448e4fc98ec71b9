import type { z } from '@hono/zod-openapi';
import type { Desk } from '../../desk/desk.ts';
import type { Access } from '../access.ts';
import type { Caller } from '../caller.ts';
import type { DeskRules } from '../desk-rules.ts';
import type { ConversationSecrets } from '../redaction/conversation-secrets.ts';

/** What an endpoint is asked. */
export interface Asked<Params, Query, Body> {
  /** The desk of the tenant of whoever asks: there is no way to another one's. */
  readonly desk: Desk;
  readonly caller: Caller;
  readonly rules: DeskRules;
  readonly secrets: ConversationSecrets;
  /** The rights of the caller inside of the tenant. */
  readonly access: Access;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** Something that can be asked over HTTP. A `get` changes nothing. */
export interface Endpoint<Params = unknown, Query = unknown, Body = unknown, Result = unknown> {
  readonly method: 'get' | 'post';
  /** As OpenAPI has it: `/runs/{runId}`. */
  readonly path: string;
  /** The name of the operation. */
  readonly name: string;
  readonly summary: string;
  readonly params?: z.ZodType<Params> | undefined;
  readonly query?: z.ZodType<Query> | undefined;
  readonly body?: z.ZodType<Body> | undefined;
  readonly status: 200 | 201 | 202;
  readonly result: z.ZodType<Result>;
  /** The statuses of refusals beside those that every endpoint has. */
  readonly refusals?: readonly number[] | undefined;
  handle(asked: Asked<Params, Query, Body>): Promise<Result>;
}
