// A chat page with `useChat` of the AI SDK. The user approves, denies and edits calls in the page, and responds to
// questions. The page supplies the result of a tool of its own. A reload shows the stored conversation.
//
//   npx tsx --conditions=holdpoint-source examples/chat-ui/main.ts          checks itself
//   npx tsx --conditions=holdpoint-source examples/chat-ui/main.ts serve    for a browser
//
// HOLDPOINT_MODEL=openai:gpt-5 (and its key) uses a real model.
import { once } from 'node:events';
import { checkChat } from './check-chat.ts';
import { startServer } from './server.ts';

const { server, url } = await startServer();
if (process.argv.includes('serve') || process.env['HOLDPOINT_MODEL']) {
  console.log(
    `Open ${url} and write: Refund my order. Please deliver it. What time is it? (Ctrl-C ends it.)`,
  );
  await once(process, 'SIGINT');
} else {
  await checkChat(url);
  console.log('Approved once, denied once, edited once, and the page supplied a result.');
}
server.close();
