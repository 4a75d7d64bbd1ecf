// Questions of the model or of a tool, with choices and an answer in the person's own words.
import { useState } from 'preact/hooks';
import type { Answer, Question } from '../../contract/question.js';
import { visibleLine } from '../../platform/text/visible-lines.js';
import { GuardedButton } from './guarded-button.js';

interface Given {
  chosen: readonly string[];
  text: string;
}

export interface ChoicesCardProps {
  id: string;
  questions: readonly Question[];
  mayAnswer: boolean;
  answer(answers: readonly Answer[]): void;
}

export function ChoicesCard({ id, questions, mayAnswer, answer }: ChoicesCardProps) {
  const [given, setGiven] = useState<readonly Given[]>(() => questions.map(() => ({ chosen: [], text: '' })));
  const set = (at: number, one: Given): void => setGiven(given.map((before, index) => (index === at ? one : before)));
  const isComplete = given.every(({ chosen, text }) => chosen.length > 0 || text.trim() !== '');
  return (
    <>
      <div class="question-body question-inner">
        {questions.map((question, index) => (
          <OneQuestion
            key={question.question}
            name={`${id}-${index}`}
            question={question}
            given={given[index] ?? { chosen: [], text: '' }}
            isOff={!mayAnswer}
            onChange={(one) => set(index, one)}
          />
        ))}
      </div>
      {mayAnswer && (
        <div class="answers">
          <span class="muted">{isComplete ? '' : questions.length > 1 ? 'Answer each question.' : ''}</span>
          <GuardedButton
            class={isComplete ? 'allow' : 'allow off'}
            needsTwo={false}
            onPress={() => {
              if (isComplete)
                answer(given.map(({ chosen, text }) => ({ chosen, ...(text.trim() !== '' && { text: text.trim() }) })));
            }}
          >
            Send the answer
          </GuardedButton>
        </div>
      )}
    </>
  );
}

interface OneQuestionProps {
  name: string;
  question: Question;
  given: Given;
  isOff: boolean;
  onChange(given: Given): void;
}

function OneQuestion({ name, question: { question, options, multiSelect }, given, isOff, onChange }: OneQuestionProps) {
  const choose = (label: string, isOn: boolean): void => {
    if (!multiSelect) onChange({ chosen: [label], text: '' });
    else onChange({ ...given, chosen: isOn ? [...given.chosen, label] : given.chosen.filter((one) => one !== label) });
  };
  return (
    <fieldset disabled={isOff}>
      <legend class="question-title">{visibleLine(question)}</legend>
      {options.map(({ label, description }) => (
        <label key={label} class="choice">
          <input
            type={multiSelect ? 'checkbox' : 'radio'}
            name={name}
            checked={given.chosen.includes(label)}
            onChange={(event) => choose(label, event.currentTarget.checked)}
          />
          <span>
            <strong>{visibleLine(label)}</strong> <span class="muted">{visibleLine(description)}</span>
          </span>
        </label>
      ))}
      <label class="own-words">
        <span>In your own words</span>
        <input
          type="text"
          value={given.text}
          autocomplete="off"
          onInput={(event) => onChange({ chosen: multiSelect ? given.chosen : [], text: event.currentTarget.value })}
        />
      </label>
    </fieldset>
  );
}
