import type { LinkStatus, OpenedLink } from '../../links/answer-link.ts';
import { requirementsOf, summaryOf } from '../../approvers/requirements.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import type { Person } from '../../model/person.ts';
import type { RunRow } from '../../model/run-row.ts';
import { type Markup, markup } from '../pages/markup.ts';
import { pageResponse } from '../pages/page-response.ts';
import type { ShownCall, ShownPart } from './shown-call.ts';

/** Shows what a link asks, with buttons to answer. Nothing is decided by looking at it. */
export function linkPage({ link, hold }: OpenedLink, run: RunRow, call: ShownCall): Response {
  const body = markup`
<p>You answer as ${nameOf(link.person)}. The agent ${bdi(hold.agent)} waits for it.</p>
${call.warnings.map((text) => markup`<p role="note">${text}</p>`)}
<dl>
<dt>Tool</dt><dd>${bdi(hold.toolName)}</dd>
${hold.path.length === 0 ? undefined : item('Called by way of', hold.path.map(({ toolName }) => toolName).join(' → '))}
${item('Asked for by', run.requester === undefined ? 'nobody knows whom' : personText(run.requester))}
${item('Who has to agree', quorumText(hold))}
${item('This link can be used until', timeText(Math.min(link.expiresAt, hold.expiresAt ?? link.expiresAt)))}
</dl>
${call.parts.map(partMarkup)}
${formMarkup(link.answer, call.isCut)}`;
  return pageResponse({ title: `May ${hold.toolName} run?`, body });
}

function partMarkup({ name, text }: ShownPart): Markup {
  return markup`<h2>${name}</h2>
<pre>${text}</pre>
`;
}

/** Nobody approves what they have not been shown. */
function formMarkup(only: 'approve' | 'deny' | undefined, isCut: boolean): Markup {
  const mayApprove = only !== 'deny' && !isCut;
  return markup`${isCut ? CUT : undefined}
${mayApprove ? APPROVE : undefined}
${only === 'approve' ? undefined : DENY}`;
}

const CUT = markup`<p role="note">It is too long to be shown here, so it cannot be approved here. Open the inbox of the desk.</p>`;

const APPROVE = markup`<form method="post">
<button name="answer" value="approve">Approve</button>
</form>`;

/** A form of its own: whoever presses Enter after the reason must not press the first button of the page. */
const DENY = markup`<form method="post">
<label for="message">Why not? The model is told. You may leave it empty.</label>
<input type="text" id="message" name="message" maxlength="2000" autocomplete="off">
<button name="answer" value="deny">Deny</button>
</form>`;

/** Shows what has become of an answer. */
export function answeredPage(hold: HoldRow, answer: 'approve' | 'deny'): Response {
  const done = answer === 'approve' ? 'Approved' : 'Denied';
  const { votes = [] } = hold;
  const approvers = summaryOf(requirementsOf(hold));
  const body =
    hold.state === 'open'
      ? markup`<p>Your answer was written. ${votes.length} of ${approvers.count} people agree so far; nothing runs before all have.</p>`
      : markup`<p>Your answer was written. You can close this page.</p>`;
  return pageResponse({ title: `${done}: ${hold.toolName}`, body });
}

const ENDED: Readonly<Record<Exclude<LinkStatus, 'open'>, readonly [status: number, why: string]>> =
  {
    used: [410, 'It was used before. A link answers once.'],
    revoked: [410, 'It was revoked.'],
    expired: [410, 'Its time is over.'],
    settled: [410, 'There is nothing to be answered any more: others have, or the time is over.'],
    stale: [409, 'What waits is not what it was when the link was made: somebody has changed it.'],
  };

/** Says why a link cannot be used. */
export function endedPage(status: Exclude<LinkStatus, 'open'>): Response {
  const [code, why] = ENDED[status];
  return pageResponse({
    status: code,
    title: 'This link cannot be used',
    body: markup`<p>${why} Nothing was changed. Look at the desk, or ask for another link.</p>`,
  });
}

/** Says that there is no such link. */
export function noLinkPage(): Response {
  return pageResponse({
    status: 404,
    title: 'There is no such link',
    body: markup`<p>Was the address cut off? Nothing was changed.</p>`,
  });
}

/** Says that the browser belongs to somebody else than the link. */
export function otherPersonPage(person: Person, signedIn: Person): Response {
  return pageResponse({
    status: 403,
    title: 'This link is for somebody else',
    body: markup`<p>It is for ${nameOf(person)}, and you are signed in as ${nameOf(signedIn)}. Nothing was changed. Answer in the inbox, as yourself.</p>`,
  });
}

function item(name: string, text: string): Markup {
  return markup`<dt>${name}</dt><dd>${bdi(text)}</dd>
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
  const who = roles === undefined ? '' : ` with one of these roles: ${roles.join(', ')}`;
  return count === 1 ? `one person${who}` : `${count} people${who}; so far ${votes.length} do`;
}

function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
