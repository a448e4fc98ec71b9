import { answerHold } from './answer-hold.ts';
import { cancelRun } from './cancel-run.ts';
import { checkEdit } from './check-edit.ts';
import type { Endpoint } from './endpoint.ts';
import { getAudit } from './get-audit.ts';
import { getGrant } from './get-grant.ts';
import { getHealth } from './get-health.ts';
import { getHistory } from './get-history.ts';
import { getHold } from './get-hold.ts';
import { getMe } from './get-me.ts';
import { getRun } from './get-run.ts';
import { listGrants } from './list-grants.ts';
import { listHolds } from './list-holds.ts';
import { listRuns } from './list-runs.ts';
import { retryRun } from './retry-run.ts';
import { revokeGrant } from './revoke-grant.ts';
import { sendMessage } from './send-message.ts';
import { startRun } from './start-run.ts';
import { verifyAudit } from './verify-audit.ts';

/** All that can be asked for in JSON. */
export const ENDPOINTS: readonly Endpoint[] = [
  startRun,
  listRuns,
  getRun,
  cancelRun,
  retryRun,
  getAudit,
  verifyAudit,
  sendMessage,
  getHistory,
  listHolds,
  getHold,
  answerHold,
  checkEdit,
  listGrants,
  getGrant,
  revokeGrant,
  getMe,
  getHealth,
];
