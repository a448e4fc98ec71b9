export { verifyWebhook, type WebhookEvent } from './verify-webhook.ts';
export { type WebhookRejection, WebhookRejectedError } from './webhook-rejected-error.ts';
