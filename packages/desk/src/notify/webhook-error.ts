/** A receiver was not told of an event, and will not be. */
export class WebhookGivenUpError extends Error {
  override name = 'WebhookGivenUpError';
  readonly eventId: string;
  readonly host: string;

  constructor(eventId: string, host: string, problem: string) {
    super(
      `The webhook to ${host} about event '${eventId}' was given up. ${problem} Look at the receiver; what it has missed is in desk.events().`,
    );
    this.eventId = eventId;
    this.host = host;
  }
}
