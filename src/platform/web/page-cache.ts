import { monotonicMs } from '../clock.js';

const MAX_AGE_MS = 15 * 60_000;
const MAX_CHARS = 20_000_000; // of all texts together
const MAX_ENTRIES = 200;

/** Caches recently fetched pages, so that a second question about one needs no second request. */
export class PageCache<Page extends { text: string }> {
  readonly #pages = new Map<string, { page: Page; at: number }>();
  readonly #now: () => number;
  #chars = 0;

  constructor(now: () => number = monotonicMs) {
    this.#now = now;
  }

  get(url: string): Page | undefined {
    const found = this.#pages.get(url);
    if (!found) return undefined;
    if (this.#now() - found.at < MAX_AGE_MS) return found.page;
    this.#drop(url);
    return undefined;
  }

  set(url: string, page: Page): void {
    this.#drop(url);
    if (page.text.length > MAX_CHARS) return;
    this.#pages.set(url, { page, at: this.#now() });
    this.#chars += page.text.length;
    for (const oldest of this.#pages.keys()) {
      if (this.#chars <= MAX_CHARS && this.#pages.size <= MAX_ENTRIES) break;
      this.#drop(oldest);
    }
  }

  #drop(url: string): void {
    this.#chars -= this.#pages.get(url)?.page.text.length ?? 0;
    this.#pages.delete(url);
  }
}
