// Plays random stories about escalation, delegation and named approvers, and prints what happened in them:
// node people-process.ts <number of cases> <seed>
import { searchPeople } from './search.ts';

const [cases = '', seed = ''] = process.argv.slice(2);

console.log(JSON.stringify(await searchPeople(Number(cases), Number(seed), true)));
