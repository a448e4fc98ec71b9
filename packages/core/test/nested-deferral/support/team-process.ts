// One process of a team run: starts or resumes the run, stores the outcome, and exits. Arguments: the
// folder, and the number of the process.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageCodec, requestsCodec, resultsCodec } from 'holdpoint';
import { leadOfTeam } from './team.ts';

const [folder = '', round = ''] = process.argv.slice(2);
const at = (name: string) => join(folder, name);
const lead = leadOfTeam((effect) => appendFileSync(at('effects.txt'), `${round}: ${effect}\n`));

const result = existsSync(at('messages.json'))
  ? await lead.resume(
      { messages: messageCodec.parse(readFileSync(at('messages.json'), 'utf8')) },
      resultsCodec.parse(readFileSync(at('results.json'), 'utf8')),
    )
  : await lead.run('Tidy up.');

writeFileSync(at('messages.json'), messageCodec.stringify(result.messages));
writeFileSync(
  at('requests.json'),
  result.status === 'parked' ? requestsCodec.stringify(result.output) : 'null',
);
console.log(
  JSON.stringify({
    status: result.status,
    output: result.status === 'finished' ? result.output : null,
    pid: process.pid,
  }),
);
