// A patch with line numbers: in one column, or side by side if there is space.
import { useMemo } from 'preact/hooks';
import { capRows } from '../../display/cap-rows.js';
import { type CodeSpan, languageOf, sliceSpans } from '../../display/code-span.js';
import { markChanges, type PatchRow, parsePatch } from '../../display/parse-patch.js';
import { spansByRow } from '../../display/patch-colors.js';
import { asideWords, isAside, isNewFile, pairRows, patchSigns } from '../../display/patch-rows.js';
import { counted } from '../../platform/text/counted.js';
import { visibleLines } from '../../platform/text/visible-lines.js';
import { Spans, useCodeSpans } from './code.js';
import { useWide } from './use-wide.js';

const MAX_ROWS = 2_000; // more than a person reads, and each row costs time to lay out
const BESIDE = '(min-width: 1400px)';

export interface DiffProps {
  path: string;
  patch: string;
  maxRows?: number;
  /** Never side by side, as where the diff has only a part of the page. */
  isNarrow?: boolean;
}

export function Diff({ path, patch, maxRows = MAX_ROWS, isNarrow = false }: DiffProps) {
  const isWide = useWide(BESIDE) && !isNarrow;
  const { rows, hidden, isNew } = useMemo(() => read(patch, maxRows), [patch, maxRows]);
  const codeSpans = useCodeSpans();
  const spans = useMemo(() => spansByRow(rows, (code) => codeSpans(code, languageOf(path))), [rows, path, codeSpans]);
  const isBeside = isWide && rows.some(({ kind }) => kind === 'removed') && rows.some(({ kind }) => kind === 'added');
  return (
    <div class="diff scroll" tabIndex={0} role="group" aria-label={`Changes of ${path}`}>
      <table class={isBeside ? 'beside' : isNew ? 'new-file' : undefined}>
        <tbody>
          {isBeside ? <Beside rows={rows} spans={spans} /> : <Unified rows={rows} spans={spans} isNew={isNew} />}
        </tbody>
      </table>
      {hidden > 0 && (
        <p class="muted more" data-hidden={hidden}>
          … {counted(hidden, 'more line')}
        </p>
      )}
    </div>
  );
}

function read(patch: string, maxRows: number) {
  const parsed = parsePatch(visibleLines(patch));
  const [first, ...rest] = parsed;
  const all = first?.kind === 'hunk' && first.text === '' ? rest : parsed; // an empty hunk header at the top
  const { shown, hidden } = capRows(all, maxRows);
  markChanges(shown);
  return { rows: shown, hidden, isNew: isNewFile(all) };
}

type SpanMap = ReadonlyMap<PatchRow, readonly CodeSpan[]>;

function Unified({ rows, spans, isNew }: { rows: readonly PatchRow[]; spans: SpanMap; isNew: boolean }) {
  return (
    <>
      {rows.map((row, index) =>
        isAside(row) ? (
          <Aside key={index} row={row} columns={3} />
        ) : (
          <tr key={index} class={isNew ? 'same' : row.kind}>
            <td class="number">{row.after ?? row.before}</td>
            <td class="sign">{isNew ? '' : <Sign kind={row.kind} />}</td>
            <td class="text">
              <Text row={row} spans={spans} />
            </td>
          </tr>
        ),
      )}
    </>
  );
}

function Beside({ rows, spans }: { rows: readonly PatchRow[]; spans: SpanMap }) {
  return (
    <>
      {pairRows(rows).map(({ left, right }, index) =>
        left && isAside(left) ? (
          <Aside key={index} row={left} columns={4} />
        ) : (
          <tr key={index}>
            <Side row={left} number={left?.before} spans={spans} />
            <Side row={right} number={right?.after} spans={spans} />
          </tr>
        ),
      )}
    </>
  );
}

function Side({ row, number, spans }: { row: PatchRow | undefined; number: number | undefined; spans: SpanMap }) {
  const kind = row?.kind ?? 'empty';
  return (
    <>
      <td class={`number ${kind}`}>{number}</td>
      <td class={`text ${kind}`}>{row && <Text row={row} spans={spans} />}</td>
    </>
  );
}

/** The sign is read aloud as a word. */
const Sign = ({ kind }: { kind: PatchRow['kind'] }) => (
  <>
    <span aria-hidden="true">{patchSigns[kind]}</span>
    {kind === 'added' && <span class="unseen">added: </span>}
    {kind === 'removed' && <span class="unseen">removed: </span>}
  </>
);

const Aside = ({ row, columns }: { row: PatchRow; columns: number }) => (
  <tr class="aside">
    <td colSpan={columns}>⋯ {asideWords(row)}</td>
  </tr>
);

/** A line with the colours of its language, and its changed words on a stronger background. */
function Text({ row, spans }: { row: PatchRow; spans: SpanMap }) {
  const pieces = spans.get(row) ?? [{ text: row.text }];
  if (!row.parts || row.parts.length === 0) return <Spans spans={pieces} />;
  let at = 0;
  const drawn = row.parts.flatMap(([from, to], index) => {
    const before = <Spans key={`${index} before`} spans={sliceSpans(pieces, at, from)} />;
    at = to;
    return [
      before,
      <mark key={index}>
        <Spans spans={sliceSpans(pieces, from, to)} />
      </mark>,
    ];
  });
  return (
    <>
      {drawn}
      <Spans spans={sliceSpans(pieces, at, row.text.length)} />
    </>
  );
}
