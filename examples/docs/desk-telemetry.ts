// A desk whose holds and queue are measured with OpenTelemetry.
import assert from 'node:assert/strict';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { deskOtel } from '@holdpoint/desk/otel';
import { Agent } from 'holdpoint';
import { says, scriptedModel } from 'holdpoint/testing';

const store = await sqliteStore();
const agent = new Agent({ model: scriptedModel(says('Done.')) });

// #region telemetry
const telemetry = await deskOtel();
const desk = openDesk({ store, agents: { clerk: { agent } }, telemetry });
// #endregion

const runId = await desk.start('clerk', 'Go.');
assert.equal((await desk.work({ runId })).state, 'finished');
await desk.close();
