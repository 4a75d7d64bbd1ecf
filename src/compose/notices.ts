/** Notices for the person. A notice without a listener is queued until there is one. */
export interface Notices {
  say(text: string): void;
  /** Passes notices to this listener from now on, beginning with the queued ones. */
  tell(to: (text: string) => void): void;
  /** Removes the listener. */
  hold(): void;
}

export function createNotices(): Notices {
  let listener: ((text: string) => void) | undefined;
  let unsaid: string[] = [];
  return {
    say(text) {
      if (listener) listener(text);
      else unsaid.push(text);
    },
    hold() {
      listener = undefined;
    },
    tell(to) {
      listener = to;
      const waiting = unsaid;
      unsaid = [];
      for (const text of waiting) to(text);
    },
  };
}
