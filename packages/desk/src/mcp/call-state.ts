import {
  createRequestStateCodec,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { hashOf } from '../model/hash.ts';
import type { Desk } from '../desk/desk.ts';
import type { McpCaller, McpSettings } from './mcp-options.ts';

/** A hold that a client was shown in a form. */
export interface ShownForm {
  readonly holdId: string;
  /** The digest of the hold as the form showed it. */
  readonly digest: string;
}

/** The state of a call that a client keeps between requests, in `requestState`. The client can read it. */
export interface CallState {
  /** The hash of the tool name and the arguments. */
  readonly call: string;
  readonly runId: string;
  /** The number of times that the client was requested to send the call again. */
  readonly round: number;
  readonly forms: readonly ShownForm[];
  /** True if the client was sent to the page of the desk. */
  readonly hasLink: boolean;
}

const stateSchema: z.ZodType<CallState> = z.strictObject({
  call: z.string(),
  runId: z.string(),
  round: z.int().min(0),
  forms: z.array(z.strictObject({ holdId: z.string(), digest: z.string() })),
  hasLink: z.boolean(),
});

/** Signs the states of the calls of one caller, and verifies them. */
export class CallStates {
  readonly #codec: RequestStateCodec<CallState>;

  constructor(desk: Desk, { person }: McpCaller, settings: McpSettings) {
    // A state of another caller, tenant or server is rejected like a changed one.
    const owner = JSON.stringify(['holdpoint-mcp', settings.name, desk.tenant, person.id]);
    this.#codec = createRequestStateCodec<CallState>({
      key: settings.stateKey,
      ttlSeconds: Math.max(1, Math.floor(settings.stateExpiresIn / 1_000)),
      bind: () => owner,
    });
  }

  sign(state: CallState, ctx: ServerContext): Promise<string> {
    return this.#codec.mint(state, ctx);
  }

  /** Returns a state. Throws if it was changed, has expired, or belongs to another caller. */
  async verify(token: string, ctx: ServerContext): Promise<CallState> {
    return stateSchema.parse(await this.#codec.verify(token, ctx));
  }
}

/** Returns the hash of a call, which binds a state to its tool and arguments. */
export function hashOfCall(toolName: string, args: unknown): string {
  return hashOf('mcp-call', toolName, args);
}
