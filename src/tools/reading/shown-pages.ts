interface ShownFile {
  hash: string;
  /** When each page was shown. */
  pages: Map<string, Date>;
}

/**
 * The pages of files that the conversation still shows, so that the same page is not sent twice. Obtained by
 * `session.own(createShownPages)`. Code that removes results from the conversation must call `forget`.
 */
export interface ShownPages {
  /** When this page of this content was shown. Removes the entry, so that the next request shows the page again. */
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
