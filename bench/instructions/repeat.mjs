/** Repeats the work of one case a given number of times, for measurement by an external tool. */
import { WORKLOADS } from '../workloads/workloads.mjs';

const [adapterName, workload, times] = process.argv.slice(2);
const { make, parameters } = WORKLOADS[workload];
const job = await make(await import(`../adapters/${adapterName}.mjs`), parameters[0]);
for (let i = 0; i < Number(times); i++) await job.once();
