import { codeSpans } from '../../display/code-spans.js';
import { Spans } from './code.js';
import { memo } from './memo.js';

export const ColoredCode = memo(
  ({ text, language }: { text: string; language: string }) => (
    <code>
      {codeSpans(text, language).map((spans, index) => (
        <span key={index} class="line">
          <Spans spans={spans} />
          {'\n'}
        </span>
      ))}
    </code>
  ),
  (one, other) => one.text === other.text && one.language === other.language,
);
