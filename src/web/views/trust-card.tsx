// Whether a folder is trusted with its settings and instructions.
import { instructionsLine, itemWords, trustFacts, trustQuestion } from '../../display/trust-words.js';
import type { OpenQuestion } from '../../host/open-questions.js';
import { visibleLine } from '../../platform/text/visible-lines.js';
import { GuardedButton } from './guarded-button.js';

export interface TrustCardProps {
  question: Extract<OpenQuestion, { kind: 'trust' }>;
  mayAnswer: boolean;
  answer(isTrusted: boolean): void;
}

export function TrustCard({ question: { report, instructions }, mayAnswer, answer }: TrustCardProps) {
  const facts = trustFacts(report, { home: [] }, instructions);
  const { title, sentence, no, yes } = trustQuestion(facts);
  return (
    <>
      <h2 class="question-title">{title}</h2>
      <div class="question-body question-inner">
        <p>
          <code>{visibleLine(facts.folder)}</code>
        </p>
        <p>{sentence}</p>
        {facts.groups.map(({ file, items }) => (
          <div key={file}>
            <h3>{visibleLine(file)}</h3>
            <ul class="items">
              {items.map((item, index) => (
                <li key={index}>{visibleLine(itemWords(item))}</li>
              ))}
            </ul>
          </div>
        ))}
        {instructionsLine(facts).map((line) => (
          <p key={line}>{visibleLine(line)}</p>
        ))}
      </div>
      {mayAnswer && (
        <div class="answers">
          <button type="button" class="deny" onClick={() => answer(false)}>
            {no}
          </button>
          <GuardedButton class="allow" needsTwo={false} onPress={() => answer(true)}>
            {yes}
          </GuardedButton>
        </div>
      )}
    </>
  );
}
