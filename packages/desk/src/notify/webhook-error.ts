/** A webhook that was given up. The receiver does not get the event. */
export class WebhookGivenUpError extends Error {
  override name = 'WebhookGivenUpError';
  readonly eventId: string;
  readonly host: string;

  constructor(eventId: string, host: string, problem: string) {
    super(
      `The webhook to ${host} about event '${eventId}' was given up. ${problem} Check the receiver. \`desk.events()\` lists the events that it missed.`,
    );
    this.eventId = eventId;
    this.host = host;
  }
}
