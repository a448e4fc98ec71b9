/** Approval in chat channels, through the Chat SDK. */

export { type ChatApprovals, chatApprovals } from './chat-approvals.ts';
export type { ChatApprovalsOptions, ChatApprover, ChatBot, ChatUser } from './chat-options.ts';
