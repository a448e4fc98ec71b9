import type { Hono } from 'hono';
import { INBOX_PATH, InboxPage } from '../web/inbox-page.ts';
import type { DeskEnv } from './mount-endpoint.ts';

/** Serves the page for those who answer. It holds nothing of the desk, so it comes before `authorize`. */
export function servePage(app: Hono<DeskEnv>, basePath: string): void {
  const page = new InboxPage();
  const beginning = basePath.replaceAll(/^\/|\/$/g, '');
  const before = beginning === '' ? 0 : beginning.length + 1;
  app.get(`${INBOX_PATH}/*`, ({ req }) => page.respond(req.raw, req.path.slice(before)));
}
