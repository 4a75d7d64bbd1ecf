// A call that a person has to allow or deny: its risks and effects, what it is about, and the answers.
import { useRef, useState } from 'preact/hooks';
import { planOf } from '../../agent/planning/plan-question.js';
import type { PermissionAnswer, PermissionQuestion } from '../../contract/permission.js';
import { type Mark, marksIn, partsAsWritten, partsInQuestion } from '../../display/marked-parts.js';
import { moreOfPlan, PLAN_QUESTION, PLAN_REFUSAL_PROMPT, planChoices } from '../../display/plan-words.js';
import {
  answerChoices,
  effectWords,
  headline,
  PARTIAL_WARNING,
  REFUSAL_PROMPT,
  riskMarks,
  risksBelow,
  riskWords,
  whyItAsks,
} from '../../display/question-words.js';
import { trailWords } from '../../display/trail-words.js';
import type { Places } from '../../permissions/risks/place-words.js';
import { counted } from '../../platform/text/counted.js';
import { visibleLine, visibleLines } from '../../platform/text/visible-lines.js';
import { DisplayBodyView } from './display-body.js';
import { GuardedButton } from './guarded-button.js';
import { RefusalField } from './refusal-field.js';
import { ScrolledBody, useUnseenLines } from './unseen-lines.js';

export interface PermissionCardProps {
  question: PermissionQuestion;
  root: string;
  mayAnswer: boolean;
  answer(answer: PermissionAnswer): void;
}

export function PermissionCard(props: PermissionCardProps) {
  const plan = planOf(props.question);
  return plan === undefined ? <CallCard {...props} /> : <PlanCard {...props} plan={plan} />;
}

function CallCard({ question, root, mayAnswer, answer }: PermissionCardProps) {
  const [stage, setStage] = useState<'choosing' | 'refusing' | 'editing'>('choosing');
  const places: Places = { project: [root] };
  const { display, confinement } = question;
  const isHigh = question.risks.some(({ level }) => level === 'high');
  const title = headline(question, places);
  const risks = risksBelow(question, title);
  const isPartial = display.body?.type === 'diff' && display.body.isPartial === true;
  // A rule with invisible characters can't be agreed to.
  const rules = question.suggestions.filter((rule) => visibleLine(rule) === rule);
  const body = useRef<HTMLDivElement>(null);
  const unseen = useUnseenLines(body);
  const unread =
    unseen > 0
      ? `without reading the last ${counted(unseen, 'line')}`
      : isPartial
        ? 'without seeing all of it'
        : undefined;
  const { all } = answerChoices(question, rules, unread);
  const more = all.filter(({ key }) => key !== 'y' && key !== 'n');
  const labelOf = (wanted: string): string => all.find(({ key }) => key === wanted)?.label ?? wanted;
  return (
    <>
      <h2 class="question-title">{visibleLine(title)}</h2>
      <ScrolledBody body={body}>
        {(risks.length > 0 || isPartial) && (
          <ul class="risks" aria-label="Risks">
            {isPartial && <li class="high">▲ {PARTIAL_WARNING}</li>}
            {risks.map((risk, index) => (
              <li key={index} class={risk.level}>
                <span aria-hidden="true">{riskMarks[risk.level]}</span>
                <span class="unseen">{risk.level === 'high' ? 'Danger: ' : 'Note: '}</span>
                <span>
                  {riskWords(
                    risk,
                    risks.length > 1 && risk.part !== undefined ? visibleLine(risk.part).slice(0, 80) : undefined,
                  )}
                </span>
              </li>
            ))}
          </ul>
        )}
        <Effects question={question} places={places} />
        <Subject question={question} title={title} />
        {whyItAsks(question).map((line) => (
          <p key={line} class="muted">
            {visibleLine(line)}
          </p>
        ))}
        {confinement !== undefined && !confinement.startsWith('Runs without a sandbox') && (
          <p class="muted">{visibleLine(confinement)}</p>
        )}
        <details class="trail">
          <summary>Why, in detail</summary>
          <ul>
            {trailWords(question, places).map((line, index) => (
              <li key={index}>{line}</li>
            ))}
            {confinement !== undefined && <li>{visibleLine(confinement)}</li>}
          </ul>
        </details>
      </ScrolledBody>
      {!mayAnswer && <p class="muted answers">Your token may look, and not answer.</p>}
      {mayAnswer && stage === 'refusing' && (
        <RefusalField
          label={REFUSAL_PROMPT}
          onBack={() => setStage('choosing')}
          onDeny={(reason) => answer({ behavior: 'deny', ...(reason !== '' && { reason }) })}
        />
      )}
      {mayAnswer && stage === 'editing' && (
        <RuleFields
          rules={rules}
          isHigh={isHigh}
          onBack={() => setStage('choosing')}
          onAllow={(kept) =>
            answer({
              behavior: 'allow',
              ...(kept.length > 0 && { remember: { rules: kept, scope: 'always' as const } }),
            })
          }
        />
      )}
      {mayAnswer && stage === 'choosing' && (
        <div class="answers">
          <button type="button" class="deny" onClick={() => setStage('refusing')}>
            {labelOf('n')}
          </button>
          {more.length > 0 && (
            <details class="more-answers">
              <summary>More ways to allow</summary>
              <div class="more-list">
                {more.map((choice) => (
                  <GuardedButton
                    key={choice.key}
                    class="quiet"
                    needsTwo={isHigh && choice.gives !== 'edit'}
                    onPress={() => {
                      if (choice.gives === 'edit') setStage('editing');
                      else if (choice.gives !== 'refuse') answer(choice.gives);
                    }}
                  >
                    {choice.label} {choice.about !== undefined && <code>{visibleLine(choice.about)}</code>}
                  </GuardedButton>
                ))}
              </div>
            </details>
          )}
          <GuardedButton
            class={isHigh ? 'allow danger' : 'allow'}
            needsTwo={isHigh}
            onPress={() => answer({ behavior: 'allow' })}
          >
            {labelOf('y')}
          </GuardedButton>
        </div>
      )}
    </>
  );
}

function PlanCard({ question, plan, mayAnswer, answer }: PermissionCardProps & { plan: string }) {
  const [isRefusing, setRefusing] = useState(false);
  const more = moreOfPlan(question);
  return (
    <>
      <h2 class="question-title">{PLAN_QUESTION}</h2>
      <div class="question-body question-inner">
        <DisplayBodyView body={{ type: 'markdown', text: plan }} />
        {more !== '' && <p class="muted">{visibleLine(more)}</p>}
      </div>
      {mayAnswer && isRefusing && (
        <RefusalField
          label={PLAN_REFUSAL_PROMPT}
          onBack={() => setRefusing(false)}
          onDeny={(reason) => answer({ behavior: 'deny', ...(reason !== '' && { reason }) })}
        />
      )}
      {mayAnswer && !isRefusing && (
        <div class="answers">
          {planChoices('default')
            .toReversed()
            .map(({ key, label, gives }) =>
              gives === 'refuse' ? (
                <button key={key} type="button" class="deny" onClick={() => setRefusing(true)}>
                  {label}
                </button>
              ) : (
                <GuardedButton
                  key={key}
                  class={key === 'y' ? 'allow' : 'quiet'}
                  needsTwo={false}
                  onPress={() => answer(gives)}
                >
                  {label}
                </GuardedButton>
              ),
            )}
        </div>
      )}
    </>
  );
}

function Effects({ question, places }: { question: PermissionQuestion; places: Places }) {
  const words = effectWords(question, places);
  if (words.length === 0) return null;
  return (
    <ul class="effects" aria-label="Effects">
      {words.map(({ verb, text }, index) => (
        <li key={index} class={verb === undefined ? 'muted' : undefined}>
          {verb !== undefined && <strong>{verb} </strong>}
          {visibleLine(text)}
        </li>
      ))}
    </ul>
  );
}

/** The diff, or the command with the parts in question marked. */
function Subject({ question, title }: { question: PermissionQuestion; title: string }) {
  const { display, effects } = question;
  const { body } = display;
  const isTold = display.title === '' || title.includes(visibleLine(display.title));
  const isCommand = effects.some(({ kind }) => kind === 'command');
  if (!body) return isTold && !isCommand ? null : <Marked text={display.title} question={question} />;
  if (body.type === 'text') {
    const isTitleIn = isTold || body.text.includes(display.title.replace(/ …$/, ''));
    return (
      <>
        {!isTitleIn && <p>{visibleLine(display.title)}</p>}
        <Marked text={body.text} question={question} />
      </>
    );
  }
  return (
    <>
      {!isTold && <p>{visibleLine(display.title)}</p>}
      <DisplayBodyView body={body} />
    </>
  );
}

function Marked({ text, question }: { text: string; question: PermissionQuestion }) {
  const lines = visibleLines(text);
  const parts = partsAsWritten(partsInQuestion(question), lines, visibleLine);
  return (
    <pre class="command" tabIndex={0} role="group" aria-label="What it would run">
      {lines.map((line, index) => (
        <span key={index} class="line">
          {runs(line, marksIn(line, parts)).map(({ piece, mark }, at) =>
            mark === undefined ? (
              piece
            ) : (
              <mark key={at} class={mark}>
                {piece}
              </mark>
            ),
          )}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

function runs(line: string, marks: readonly Mark[]): Array<{ piece: string; mark: Mark }> {
  const found: Array<{ piece: string; mark: Mark }> = [];
  for (let start = 0; start < line.length; ) {
    const mark = marks[start];
    let end = start;
    while (end < line.length && marks[end] === mark) end += 1;
    found.push({ piece: line.slice(start, end), mark });
    start = end;
  }
  return found;
}

interface RuleFieldsProps {
  rules: readonly string[];
  isHigh: boolean;
  onBack(): void;
  onAllow(rules: readonly string[]): void;
}

/** The rules that an answer saves, which the person may change; an empty one is dropped. */
function RuleFields({ rules, isHigh, onBack, onAllow }: RuleFieldsProps) {
  const form = useRef<HTMLFormElement>(null);
  const allow = (): void => {
    const fields = [...(form.current?.querySelectorAll('input') ?? [])];
    onAllow(fields.map(({ value }) => value.trim()).filter((rule) => rule !== ''));
  };
  return (
    <form ref={form} class="answers fields" onSubmit={(event) => event.preventDefault()}>
      {rules.map((rule, index) => (
        <label key={rule}>
          The rule{rules.length > 1 ? ` ${index + 1} of ${rules.length}` : ''} to save
          <input type="text" defaultValue={rule} spellcheck={false} autocomplete="off" />
        </label>
      ))}
      <button type="button" class="quiet" onClick={onBack}>
        Back
      </button>
      <GuardedButton class="allow" needsTwo={isHigh} onPress={allow}>
        Allow, and save
      </GuardedButton>
    </form>
  );
}
