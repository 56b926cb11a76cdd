/** A wait that can be cut short. It does not keep the process alive. */
export class Sleeper {
  #end = () => {};

  /** Waits for some milliseconds, or until `wake` is called. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      timer.unref();
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends the current wait. */
  wake(): void {
    this.#end();
  }
}
