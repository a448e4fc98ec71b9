import type { DeskEvents } from '../events/desk-events.ts';
import type { DeskApi } from '../scope.ts';
import { serveAccount } from './account.ts';
import { serveAudit } from './audit.ts';
import { serveNewCallbacks } from './callbacks.ts';
import { serveComments } from './comments.ts';
import { serveConversations } from './conversations.ts';
import { serveDeadLetters } from './dead-letters.ts';
import { serveDecideHold } from './decide-hold.ts';
import { serveDecideHolds } from './decide-holds.ts';
import { serveDelegations } from './delegations.ts';
import { serveErasure } from './erasure.ts';
import { serveGrants } from './grants.ts';
import { serveHolds } from './holds.ts';
import { serveKeys } from './keys.ts';
import { servePreviewEdit } from './preview-edit.ts';
import { serveRequestedChanges } from './requested-changes.ts';
import { serveRequestClaims } from './request-claims.ts';
import { serveRequests } from './requests.ts';
import { serveRuns } from './runs.ts';

/** Serves everything that an authenticated caller can request as JSON. */
export function serveEndpoints(api: DeskApi, events: DeskEvents): void {
  serveRuns(api);
  serveAudit(api);
  serveConversations(api);
  serveHolds(api);
  serveDecideHold(api);
  serveComments(api);
  serveRequestedChanges(api);
  serveDecideHolds(api);
  servePreviewEdit(api);
  serveGrants(api);
  serveDelegations(api);
  serveErasure(api);
  serveDeadLetters(api);
  serveRequests(api, events);
  serveRequestClaims(api);
  serveKeys(api);
  serveNewCallbacks(api);
  serveAccount(api);
}
