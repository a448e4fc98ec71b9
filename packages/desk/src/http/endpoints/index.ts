import { answerHold } from './answer-hold.ts';
import { cancelRun } from './cancel-run.ts';
import type { Endpoint } from './endpoint.ts';
import { getAudit } from './get-audit.ts';
import { getHealth } from './get-health.ts';
import { getHistory } from './get-history.ts';
import { getHold } from './get-hold.ts';
import { getMe } from './get-me.ts';
import { getRun } from './get-run.ts';
import { listHolds } from './list-holds.ts';
import { listRuns } from './list-runs.ts';
import { retryRun } from './retry-run.ts';
import { sendMessage } from './send-message.ts';
import { startRun } from './start-run.ts';

/** All that can be asked for in JSON. */
export const ENDPOINTS: readonly Endpoint[] = [
  startRun,
  listRuns,
  getRun,
  cancelRun,
  retryRun,
  getAudit,
  sendMessage,
  getHistory,
  listHolds,
  getHold,
  answerHold,
  getMe,
  getHealth,
];
