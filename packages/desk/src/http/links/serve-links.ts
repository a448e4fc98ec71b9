import type { Context, Hono } from 'hono';
import { isSamePerson } from '../../approvers/same-person.ts';
import type { Desk } from '../../desk/desk.ts';
import type { OpenedLink } from '../../links/decision-link.ts';
import type { Decision } from '../../model/decision-row.ts';
import type { Person } from '../../model/person.ts';
import { requireMayDecide } from '../access.ts';
import { ofApplication } from '../authenticate.ts';
import type { Authorize } from '../caller.ts';
import { HttpProblem } from '../http-problem.ts';
import { foreign, originOf } from '../own-site.ts';
import { readForm } from '../pages/read-form.ts';
import { ConversationSecrets } from '../redaction/conversation-secrets.ts';
import type { DeskEnv, DeskRules } from '../scope.ts';
import { decidedPage, endedPage, linkPage, noLinkPage, otherPersonPage } from './link-page.ts';
import { type ShownCall, shownCall } from './shown-call.ts';

/** The dependencies of decision links. */
export interface LinkDeps {
  readonly desk: Desk;
  readonly rules: DeskRules;
  readonly authorize: Authorize | undefined;
}

const PATH = '/links/:token';

/** Serves decision links. The token of a link is its only credential. */
export function serveLinks(app: Hono<DeskEnv>, deps: LinkDeps): void {
  const { desk } = deps;
  const withLink = async (
    context: Context<DeskEnv>,
    respond: (opened: OpenedLink, token: string) => Promise<Response>,
  ): Promise<Response> => {
    context.set('isPage', true);
    const token = context.req.param('token') ?? '';
    const tenant = await desk.tenantOfLink(token);
    const opened = tenant && (await desk.forTenant(tenant).openLink(token));
    if (!opened) return noLinkPage();
    return opened.status === 'open' ? respond(opened, token) : endedPage(opened.status);
  };
  app.get(PATH, (context) => withLink(context, (opened) => showLink(deps, opened)));
  app.post(PATH, (context) =>
    withLink(context, (opened, token) =>
      decideByLink(deps, { opened, token, request: context.req.raw }),
    ),
  );
}

async function showLink(deps: LinkDeps, opened: OpenedLink): Promise<Response> {
  const { desk } = deps;
  const run = await desk.forTenant(opened.link.tenant).run(opened.hold.runId);
  return linkPage(opened, run, await callOf(deps, opened));
}

async function callOf({ desk, rules }: LinkDeps, { hold }: OpenedLink): Promise<ShownCall> {
  const secrets = await new ConversationSecrets(desk.forTenant(hold.tenant)).of(
    hold.conversationId,
  );
  return shownCall(hold, rules.redaction, secrets);
}

async function decideByLink(
  deps: LinkDeps,
  submitted: { readonly opened: OpenedLink; readonly token: string; readonly request: Request },
): Promise<Response> {
  const { desk } = deps;
  const { opened, token, request } = submitted;
  const { link, hold } = opened;
  // A page of another site that has learned the token must not make the approver's browser use it.
  if (originOf(request, desk.url) === 'foreign') throw foreign('Open the link in the browser.');
  const signedIn = await signedInAs(deps.authorize, request);
  if (signedIn !== undefined && !isSamePerson(signedIn, link.person)) {
    return otherPersonPage(link.person, signedIn);
  }
  const decision = decisionOf(await readForm(request));
  if (decision.kind === 'approve' && (await callOf(deps, opened)).isCut) throw tooLong();
  const { tenant, person, roles } = link;
  const ofTenant = desk.forTenant(tenant);
  await requireMayDecide(ofTenant, { tenant, person, roles }, hold);
  return decidedPage(await ofTenant.decideByLink(token, decision), decision.kind);
}

/**
 * Returns the person who is signed in with the browser. Without this check, a person with two
 * identities could approve twice.
 */
async function signedInAs(
  authorize: Authorize | undefined,
  request: Request,
): Promise<Person | undefined> {
  const { headers } = request;
  const credentials = headers.get('cookie') ?? headers.get('authorization');
  if (authorize === undefined || credentials === null) return undefined;
  // `authorize` must not read the body, which is the form.
  const withoutBody = new Request(request.url, { headers });
  const caller = await ofApplication('authorize', async () => authorize(withoutBody));
  return caller === undefined || 'rejected' in caller ? undefined : caller.person;
}

type LinkDecision = Extract<Decision, { kind: 'approve' | 'deny' }>;

function decisionOf(form: URLSearchParams): LinkDecision {
  const [kind, ...others] = form.getAll('decision');
  const reason = form.get('reason')?.trim();
  if (others.length === 0 && (kind === 'approve' || kind === 'deny')) {
    return { kind, ...(reason && { reason }) };
  }
  throw new HttpProblem({
    status: 400,
    code: 'invalid-request',
    message: 'The form contains no decision, so nothing was done. Use the buttons of the page.',
  });
}

function tooLong(): HttpProblem {
  return new HttpProblem({
    status: 422,
    code: 'invalid-request',
    message:
      'The call is too long to be shown here, so it cannot be approved here. Nothing was written. Use the inbox.',
  });
}
