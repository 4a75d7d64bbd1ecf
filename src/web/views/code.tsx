import type { CodeSpan } from '../../display/code-span.js';
import { visibleLines } from '../../platform/text/visible-lines.js';
import { lazyPart } from './lazy-view.js';
import { memo } from './memo.js';

const CHUNK_LINES = 120; // laid out only when they are near the screen
const MAX_COLORED = 60_000; // characters; colouring more would be felt while it streams

const useColors = lazyPart(async () => await import('../../display/code-spans.js'));

const plainSpans = (code: string): CodeSpan[][] => code.split('\n').map((text) => [{ text }]);

/** What colours code: nothing, until the tables of languages are loaded. */
export const useCodeSpans = () => useColors()?.codeSpans ?? plainSpans;

/** The pieces of a line, coloured by their meaning. */
export const Spans = ({ spans }: { spans: readonly CodeSpan[] }) => (
  <>
    {spans.map(({ text, role }, index) =>
      role === undefined ? (
        text
      ) : (
        <span key={index} class={`code-${role}`}>
          {text}
        </span>
      ),
    )}
  </>
);

const CodeChunk = memo(
  ({ text, language }: { text: string; language: string }) => {
    const codeSpans = useCodeSpans();
    return (
      <code>
        {codeSpans(text, language).map((spans, index) => (
          <span key={index} class="line">
            <Spans spans={spans} />
            {'\n'}
          </span>
        ))}
      </code>
    );
  },
  (one, other) => one.text === other.text && one.language === other.language,
);

/** Fenced code, in chunks, so that a long one costs no more than what is new of it. */
export function Code({ language, code }: { language: string; code: string }) {
  const lines = visibleLines(code);
  const chunks: string[] = [];
  for (let at = 0; at < lines.length; at += CHUNK_LINES) chunks.push(lines.slice(at, at + CHUNK_LINES).join('\n'));
  const isColored = code.length <= MAX_COLORED;
  return (
    <figure class="code">
      {language !== '' && <figcaption>{language}</figcaption>}
      <pre tabIndex={0} role="group" aria-label={language === '' ? 'Code' : `Code in ${language}`}>
        {chunks.map((text, index) => (
          <CodeChunk key={index} text={text} language={isColored ? language : ''} />
        ))}
      </pre>
    </figure>
  );
}
