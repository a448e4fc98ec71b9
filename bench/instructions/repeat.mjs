/** Does the work of one case so many times, and measures nothing: for tools that look on from outside. */
import { WORKLOADS } from '../workloads/workloads.mjs';

const [adapterName, workload, times] = process.argv.slice(2);
const { make, parameters } = WORKLOADS[workload];
const job = await make(await import(`../adapters/${adapterName}.mjs`), parameters[0]);
for (let i = 0; i < Number(times); i++) await job.once();
