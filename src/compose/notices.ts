/** Notices that come at any time, kept until somebody can be told. */
export interface Notices {
  say(text: string): void;
  /** To this listener from now on, what was not said yet first. */
  tell(to: (text: string) => void): void;
  /** Nobody listens any more. */
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
