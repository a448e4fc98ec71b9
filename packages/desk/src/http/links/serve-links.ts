import type { ReportError } from '../../errors/report-error.ts';
import type { Context, Hono } from 'hono';
import { isSamePerson } from '../../approvers/same-person.ts';
import type { Desk } from '../../desk/desk.ts';
import type { OpenedLink } from '../../links/answer-link.ts';
import type { HoldAnswer } from '../../model/answer-row.ts';
import type { Person } from '../../model/person.ts';
import type { Authorize } from '../caller.ts';
import type { DeskRules } from '../desk-rules.ts';
import { HttpProblem } from '../http-problem.ts';
import type { DeskEnv } from '../mount-endpoint.ts';
import { ofApplication } from '../of-application.ts';
import { foreign, originOf } from '../own-site.ts';
import { readForm } from '../pages/read-form.ts';
import { refusalPage } from '../pages/refusal-page.ts';
import { ConversationSecrets } from '../redaction/conversation-secrets.ts';
import { requireMayAnswer } from '../require-may-answer.ts';
import { answeredPage, endedPage, linkPage, noLinkPage, otherPersonPage } from './link-page.ts';
import { type ShownCall, shownCall } from './shown-call.ts';

/** What links are served with. */
export interface LinkSurroundings {
  readonly desk: Desk;
  readonly rules: DeskRules;
  readonly authorize: Authorize | undefined;
  readonly onError: ReportError;
}

const PATH = '/links/:token';

/** Serves answer links. Whoever has one is let in by it, so they come before `authorize`. */
export function serveLinks(app: Hono<DeskEnv>, surroundings: LinkSurroundings): void {
  const { desk, onError } = surroundings;
  const withLink = async (
    context: Context,
    work: (opened: OpenedLink, token: string) => Promise<Response>,
  ): Promise<Response> => {
    try {
      const token = context.req.param('token') ?? '';
      const tenant = await desk.tenantOfLink(token);
      const opened = tenant && (await desk.forTenant(tenant).openLink(token));
      if (!opened) return noLinkPage();
      return opened.status === 'open' ? await work(opened, token) : endedPage(opened.status);
    } catch (error) {
      return refusalPage(error, onError);
    }
  };
  app.get(PATH, (context) => withLink(context, (opened) => showLink(surroundings, opened)));
  app.post(PATH, (context) =>
    withLink(context, (opened, token) =>
      answerWithLink(surroundings, { opened, token, request: context.req.raw }),
    ),
  );
}

async function showLink(surroundings: LinkSurroundings, opened: OpenedLink): Promise<Response> {
  const { desk } = surroundings;
  const run = await desk.forTenant(opened.link.tenant).run(opened.hold.runId);
  return linkPage(opened, run, await callOf(surroundings, opened));
}

async function callOf({ desk, rules }: LinkSurroundings, { hold }: OpenedLink): Promise<ShownCall> {
  const theirs = desk.forTenant(hold.tenant);
  const secrets = await new ConversationSecrets(theirs).of(hold.conversationId);
  return shownCall(hold, rules.redaction, secrets);
}

async function answerWithLink(
  surroundings: LinkSurroundings,
  asked: { readonly opened: OpenedLink; readonly token: string; readonly request: Request },
): Promise<Response> {
  const { desk } = surroundings;
  const { opened, token, request } = asked;
  const { link, hold } = opened;
  // Who knows the token needs no other site to use it: this is for a page that has got hold of one.
  if (originOf(request, desk.url) === 'foreign') throw foreign('Open the link itself.');
  const signedIn = await signedInAs(surroundings.authorize, request);
  if (signedIn !== undefined && !isSamePerson(signedIn, link.person)) {
    return otherPersonPage(link.person, signedIn);
  }
  const answer = answerOf(await readForm(request));
  if (answer.kind === 'approve' && (await callOf(surroundings, opened)).isCut) throw tooLong();
  const { tenant, person, roles } = link;
  const theirs = desk.forTenant(tenant);
  await requireMayAnswer(theirs, { tenant, person, roles }, hold);
  return answeredPage(await theirs.answerByLink(token, answer), answer.kind);
}

/**
 * Who the browser is signed in as, if it is. Somebody who is known by another name could otherwise answer
 * twice, without anybody noticing.
 */
async function signedInAs(
  authorize: Authorize | undefined,
  request: Request,
): Promise<Person | undefined> {
  const { headers } = request;
  const says = headers.get('cookie') ?? headers.get('authorization');
  if (authorize === undefined || says === null) return undefined;
  // The body is for the form.
  const asked = new Request(request.url, { headers });
  const said = await ofApplication('authorize', async () => authorize(asked));
  return said === undefined || 'refused' in said ? undefined : said.person;
}

type LinkAnswer = Extract<HoldAnswer, { kind: 'approve' | 'deny' }>;

function answerOf(form: URLSearchParams): LinkAnswer {
  const [kind, ...others] = form.getAll('answer');
  const message = form.get('message')?.trim();
  if (others.length === 0 && kind === 'approve') return { kind };
  if (others.length === 0 && kind === 'deny') return { kind, ...(message && { message }) };
  throw new HttpProblem({
    status: 400,
    code: 'invalid-request',
    message: 'Nothing was done: the form does not say whether you approve or deny.',
  });
}

function tooLong(): HttpProblem {
  return new HttpProblem({
    status: 422,
    code: 'invalid-request',
    message: 'It is too long to be shown here, so it cannot be approved here. Nothing was written.',
  });
}
