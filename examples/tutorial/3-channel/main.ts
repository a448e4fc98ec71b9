// Step 3: a channel of a chat service receives a webhook for each pending call, and a manager decides there.
import { sqliteStore } from '@holdpoint/desk';
import { checkSupportBot } from './support-bot.ts';

await checkSupportBot(await sqliteStore());
console.log(
  'A message in the channel, a decision, a late decision that is rejected, and one payment.',
);
