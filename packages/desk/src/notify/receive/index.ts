export { verifyWebhook, type WebhookEvent } from './verify-webhook.ts';
export { type RefusedWebhook, WebhookRefusedError } from './webhook-refused-error.ts';
