interface ShownFile {
  hash: string;
  /** When each page was shown. */
  pages: Map<string, Date>;
}

/**
 * Which pages of which files the conversation still shows, so that the same page is not sent twice. Kept with
 * `session.own(createShownPages)`. Whoever takes results out of the conversation calls `forget`.
 */
export interface ShownPages {
  /** When this very page of this very content was shown. It is asked once: the next one who asks is shown the page. */
  take(real: string, hash: string, page: string): Date | undefined;
  add(real: string, hash: string, page: string): void;
  forget(): void;
}

export function createShownPages(): ShownPages {
  const files = new Map<string, ShownFile>();
  return {
    take(real, hash, page) {
      const file = files.get(real);
      if (file?.hash !== hash) return undefined;
      const at = file.pages.get(page);
      file.pages.delete(page);
      return at;
    },
    add(real, hash, page) {
      const before = files.get(real);
      const file = before?.hash === hash ? before : { hash, pages: new Map<string, Date>() };
      file.pages.set(page, new Date());
      files.set(real, file);
    },
    forget: () => files.clear(),
  };
}
