import * as fc from 'fast-check';
import { memoryStore, sqliteStore } from '@holdpoint/desk';
import { Stage } from './support/stage.ts';
import { stories } from './support/stories.ts';
import { newTally, play } from './support/play.ts';
let time = Date.now();
const clock = { now: () => time, advance: async (ms: number) => { time += ms; } };
const store = process.argv[2] === 'sqlite' ? await sqliteStore({ path: 'file:zz?mode=memory&cache=shared', now: clock.now }) : memoryStore({ now: clock.now });
const stage = new Stage({ store, clock });
const tally = newTally();
const t0 = performance.now();
const runs = Number(process.argv[3] ?? 300);
const out = await fc.check(fc.asyncProperty(stories, (s) => play(stage, s, tally)), { numRuns: runs, seed: Number(process.argv[4] ?? 20261115) , endOnFailure: process.argv[5]==='end'});
const ms = performance.now() - t0;
console.log(out.failed, out.numRuns, out.numShrinks, (ms / (out.numRuns+out.numShrinks)).toFixed(2) + ' ms', tally, 'cpu', process.cpuUsage().user/1e6);
if (out.failed) { console.log(JSON.stringify(out.counterexample, null, 1)); console.log(out.errorInstance); }
