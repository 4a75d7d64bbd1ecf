/** Notices for the person. They may come at any time, and wait until there is a listener. */
export interface Notices {
  say(text: string): void;
  /** Passes notices to this listener from now on, those that are waiting first. */
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
