/** A request that the handler rejects. Its message is for the user: it contains no data of the server. */
export class ChatProblem extends Error {
  override name = 'ChatProblem';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** Returns the response. `useChat` shows its text as the error. */
  toResponse(): Response {
    return new Response(this.message, {
      status: this.status,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    });
  }
}
