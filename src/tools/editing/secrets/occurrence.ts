/** Where in a text something was found, and the text that it is known by when it is met again. */
export interface Occurrence {
  at: number;
  kind: string;
  text: string;
}
