import type { ModelEvent } from '../../contract/model.js';

/** How many characters of the answer arrive with the event. */
export function charsOf(event: ModelEvent): number {
  switch (event.type) {
    case 'text_delta':
    case 'thinking_delta':
      return event.text.length;
    case 'call_input':
      return event.json.length;
    default:
      return 0;
  }
}
