/** A match in a text, and the text that identifies it when it is found again. */
export interface Occurrence {
  at: number;
  kind: string;
  text: string;
}
