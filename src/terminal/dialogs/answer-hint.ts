/** The state of a question whose choices have letters. */
export interface Answering {
  /** A part of the text has not been on the screen. */
  canReadOn: boolean;
  /** The letter of the choice that Enter gives; undefined if nothing is selected. */
  selected: string | undefined;
  /** Enter was pressed while nothing was selected. */
  wasEntered: boolean;
}

/** The keys that answer, and what Enter does at the moment. */
export function answerHint({ canReadOn, selected, wasEntered }: Answering): string {
  if (wasEntered) {
    const now = canReadOn ? 'enter does nothing yet: pgdn to read on' : 'enter does nothing here';
    return `${now} · y to allow it · n to refuse`;
  }
  if (canReadOn) {
    return selected === undefined
      ? 'pgdn to read on, or a letter'
      : `pgdn to read on · enter for ${selected} without reading on`;
  }
  return selected === undefined ? '↑↓ or a letter' : '↑↓ enter to choose';
}
