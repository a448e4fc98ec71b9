/** A gate that a test opens, or waits for. */
export class Gate {
  readonly opened: Promise<void>;
  open: () => void = () => {};

  constructor() {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}
