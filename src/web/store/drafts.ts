// Texts that were typed and not sent, by session. They outlast a reload of the page.
const PREFIX = 'helve.draft.';

export class Drafts {
  get(sessionId: string): string {
    return sessionStorage.getItem(PREFIX + sessionId) ?? '';
  }

  set(sessionId: string, text: string): void {
    if (text === '') sessionStorage.removeItem(PREFIX + sessionId);
    else {
      try {
        sessionStorage.setItem(PREFIX + sessionId, text);
      } catch {
        // It is too long for the storage of the browser, so it is only in the field.
      }
    }
  }
}
