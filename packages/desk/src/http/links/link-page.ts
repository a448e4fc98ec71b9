import type { JsonObject, JsonValue } from 'holdpoint';
import type { LinkStatus, OpenedLink } from '../../links/decision-link.ts';
import { requirementsOf, summaryOf } from '../../approvers/requirements.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import type { Person } from '../../model/person.ts';
import type { RunRow } from '../../model/run-row.ts';
import { type Markup, markup } from '../pages/markup.ts';
import { inboxLink, pageResponse } from '../pages/page-response.ts';
import { valueMarkup } from '../pages/value-markup.ts';
import { humanise } from '../views/hold-view.ts';
import { previewName, type ShownCall, type ShownPart } from './shown-call.ts';

/** Returns the page of a link: the call, and buttons to decide. Opening it decides nothing. */
export function linkPage({ link, hold }: OpenedLink, run: RunRow, call: ShownCall): Response {
  const { inDoubt, path } = hold;
  const requester = run.requester === undefined ? bdi('unknown') : nameOf(run.requester);
  const endsAt = Math.min(link.expiresAt, hold.expiresAt ?? link.expiresAt);
  const body = markup`
<p class="lead">Requested by ${requester}, through the agent ${bdi(hold.agent)}. You decide as ${nameOf(link.person)}. Decide before ${timeText(endsAt)}.</p>
${call.warnings.map((text) => markup`<p role="note">${text}</p>`)}
${call.parts.map((part) => partMarkup(part, hold))}
<dl class="facts">
${item('Tool', titleOf(hold) === hold.toolName ? hold.toolName : `${titleOf(hold)} (${hold.toolName})`)}${path.length === 0 ? undefined : item('Called through', path.map(({ toolName }) => toolName).join(' → '))}${item('Approvals', quorumText(hold))}${inDoubt === undefined ? undefined : item('Attempted at', timeText(inDoubt.since))}${inDoubt?.idempotencyKey === undefined ? undefined : item('Idempotency key', inDoubt.idempotencyKey)}</dl>
${inDoubt === undefined ? undefined : IN_DOUBT}
${formMarkup(link.decision, call)}`;
  return pageResponse({ title: headingOf(hold), body });
}

function titleOf({ title, toolName }: HoldRow): string {
  return title ?? humanise(toolName);
}

function headingOf(hold: HoldRow): string {
  const title = titleOf(hold);
  return hold.inDoubt === undefined ? `Approve “${title}”?` : `Execute “${title}” again?`;
}

function partMarkup({ name, text, value }: ShownPart, hold: HoldRow): Markup {
  const isPreview = name === previewName(hold);
  return markup`<section class="${isPreview ? 'part preview' : 'part'}">
<h2>${name}</h2>
${isPreview && typeof value === 'string' ? markup`<p class="prose">${bdi(value)}</p>` : valueOrText(value, text, hold.schema)}
</section>
`;
}

/** A value that was cut has no JSON form. */
function valueOrText(value: JsonValue | undefined, text: string, schema?: JsonObject): Markup {
  return value === undefined ? markup`<pre>${text}</pre>` : valueMarkup(value, schema);
}

const IN_DOUBT = markup`<p>If the call took effect, <a href="../inbox">open the inbox</a> and record its result.</p>`;

/**
 * An approver can approve only a call that this page shows completely. A call with a warning has no
 * main button.
 */
function formMarkup(only: 'approve' | 'deny' | undefined, { isCut, warnings }: ShownCall): Markup {
  const mayApprove = only !== 'deny' && !isCut;
  const style = warnings.length === 0 ? 'approve primary' : 'approve';
  return markup`${isCut ? CUT : undefined}
<div class="decision">
${only === 'approve' ? undefined : DENY}
${mayApprove ? approveForm(style) : undefined}
</div>`;
}

const CUT = markup`<p role="note">The call is too long to be shown here, so it cannot be approved here. <a href="../inbox">Open the inbox</a> to approve it.</p>`;

function approveForm(style: string): Markup {
  return markup`<form method="post">
<button class="${style}" name="decision" value="approve">Approve</button>
</form>`;
}

/** A separate form: Enter in the reason must not press the button of another form. */
const DENY = markup`<form method="post">
<label for="reason">Reason (optional). The agent receives the reason of a denial.
<input type="text" id="reason" name="reason" maxlength="2000" autocomplete="off"></label>
<button class="deny" name="decision" value="deny">Deny</button>
</form>`;

/** Returns the page that confirms a decision. */
export function decidedPage(hold: HoldRow, decision: 'approve' | 'deny'): Response {
  const done = decision === 'approve' ? 'Approved' : 'Denied';
  const { votes = [] } = hold;
  const approvers = summaryOf(requirementsOf(hold));
  const body =
    hold.state === 'open'
      ? markup`<p>Your decision is recorded: ${votes.length} of ${approvers.count} approvals. The call executes only after all of them.</p>`
      : markup`<p>Your decision is recorded. You can close this page.</p>`;
  return pageResponse({ title: `${done}: ${titleOf(hold)}`, body });
}

/** A link is one level below the root of the desk. */
const INBOX_LINK = inboxLink('../inbox');

const ENDED: Readonly<Record<Exclude<LinkStatus, 'open'>, readonly [status: number, why: string]>> =
  {
    used: [410, 'It was used already. A link works once.'],
    revoked: [410, 'It was revoked.'],
    expired: [410, 'It has expired.'],
    settled: [410, 'The call was decided already, or it expired.'],
    stale: [409, 'The call has changed since the link was made.'],
  };

/** Returns the page of a link that cannot be used any more. */
export function endedPage(status: Exclude<LinkStatus, 'open'>): Response {
  const [code, why] = ENDED[status];
  return pageResponse({
    status: code,
    title: 'This link cannot be used',
    body: markup`<p>${why} Nothing was changed. Decide in the inbox, or ask for a new link.</p>${INBOX_LINK}`,
  });
}

/** Returns the page of an unknown link. */
export function noLinkPage(): Response {
  return pageResponse({
    status: 404,
    title: 'There is no such link',
    body: markup`<p>The address may have been cut off. Nothing was changed.</p>${INBOX_LINK}`,
  });
}

/** Returns the page for a browser that is signed in as another person. */
export function otherPersonPage(person: Person, signedIn: Person): Response {
  return pageResponse({
    status: 403,
    title: 'This link is for another person',
    body: markup`<p>It is for ${nameOf(person)}, and you are signed in as ${nameOf(signedIn)}. Nothing was changed. Decide in the inbox, as yourself.</p>${INBOX_LINK}`,
  });
}

function item(name: string, text: string): Markup {
  return markup`<div class="member"><dt>${name}</dt><dd>${bdi(text)}</dd></div>
`;
}

function bdi(text: string): Markup {
  return markup`<bdi>${text}</bdi>`;
}

function nameOf(person: Person): Markup {
  return bdi(personText(person));
}

function personText({ id, name }: Person): string {
  return name === undefined ? id : `${name} (${id})`;
}

function quorumText(hold: HoldRow): string {
  const { votes = [] } = hold;
  const { count, roles } = summaryOf(requirementsOf(hold));
  const who = roles === undefined ? '' : ` in the role ${roles.join(' or ')}`;
  return `${votes.length} of ${count}${who}`;
}

function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
