/** A wait that can be cut short. It keeps no process alive. */
export class Nap {
  #end = () => {};

  /** Waits for so many milliseconds, or until it is woken. */
  take(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      timer.unref();
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends the wait that was begun last, if it goes on. */
  wake(): void {
    this.#end();
  }
}
