// A chat page with `useChat` of the AI SDK. The user approves, denies and edits calls in the page,
// and responds to questions. The page supplies the result of a client tool. A reload shows the
// stored conversation.
//
//   npx tsx --conditions=holdpoint-source examples/chat-ui/main.ts          checks itself
//   npx tsx --conditions=holdpoint-source examples/chat-ui/main.ts serve    for a browser
//   npx tsx --conditions=holdpoint-source examples/chat-ui/main.ts desk     with a desk and its inbox (`npm run build` first)
//
// HOLDPOINT_MODEL=openai:gpt-5 (and its key) uses a real model.
import { once } from 'node:events';
import { checkChat } from './check-chat.ts';
import { startServer } from './server.ts';

if (process.argv.includes('desk')) await serveDesk();
else await serveStored();

/** Runs execute in this process, and only the chat page decides calls. */
async function serveStored(): Promise<void> {
  const { chat } = await import('./stored-chat.ts');
  const { server, url } = await startServer({ chat });
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
}

/** A desk stores the conversations. Calls are decided in the chat page or in the inbox. */
async function serveDesk(): Promise<void> {
  const { chat, desk } = await import('./desk-chat.ts');
  const working = desk.startWorker();
  const { server, url } = await startServer({ chat, desk });
  console.log(
    `Open ${url} and write: Refund the sofa. Then approve it in ${url}/desk/inbox. (Ctrl-C ends it.)`,
  );
  await once(process, 'SIGINT');
  server.close();
  await desk.close();
  await working;
}
