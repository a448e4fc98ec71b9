import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Desk } from '../desk/desk.ts';
import type { ReportError } from '../errors/report-error.ts';
import type { Redaction } from '../redaction/redaction.ts';
import { Access, type AuthorizeAction } from './access.ts';
import type { Caller } from './caller.ts';
import { ConversationSecrets } from './redaction/conversation-secrets.ts';

/** Rules that apply to every request to a desk. */
export interface DeskRules {
  readonly redaction: Redaction;
  readonly authorizeAction: AuthorizeAction | undefined;
  /** Receives errors that are not reported to a caller. */
  readonly onError: ReportError;
}

/** Everything that the handler of an authenticated request works with. */
export interface RequestScope {
  /** The desk of the caller's tenant. A handler cannot reach another tenant. */
  readonly desk: Desk;
  readonly caller: Caller;
  readonly rules: DeskRules;
  readonly secrets: ConversationSecrets;
  /** The rights of the caller inside the tenant. */
  readonly access: Access;
}

/** Values that requests carry. */
export interface DeskEnv {
  Variables: {
    requestId: string;
    /** Set for every request to the API that is authenticated. */
    scope: RequestScope;
    /** True if errors are shown as a page instead of JSON. */
    isPage?: boolean;
  };
}

/** The part of a desk's application that the OpenAPI document describes. */
export type DeskApi = OpenAPIHono<DeskEnv>;

/** Returns the scope of a caller's request. */
export function scopeOf(desk: Desk, caller: Caller, rules: DeskRules): RequestScope {
  const { authorizeAction, onError } = rules;
  const ofTenant = desk.forTenant(caller.tenant);
  return {
    desk: ofTenant,
    caller,
    rules,
    secrets: new ConversationSecrets(ofTenant),
    access: new Access({ desk: ofTenant, caller, authorizeAction, onError }),
  };
}
