// A line over the turns of a session, with its area.
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [520, 160, 58, 20, 10]; // the labels are larger on a phone

interface ChartProps {
  label: string;
  values: readonly number[];
  /** Drawn as a line of its own, if the values come near it. */
  limit?: number;
  shown(value: number): string;
}

export function Chart({ label, values, limit = 0, shown }: ChartProps) {
  if (values.length === 0) return <p class="empty">No turn has ended yet.</p>;
  const highest = Math.max(...values);
  const top = limit > 0 && highest > limit * 0.5 ? Math.max(limit, highest) : roundUp(highest);
  const x = (index: number): number =>
    LEFT + (values.length === 1 ? 0.5 : index / (values.length - 1)) * (WIDTH - LEFT - 8);
  const y = (value: number): number => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - TOP);
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`);
  const last = values.at(-1) ?? 0;
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${label}: from ${shown(values[0] ?? 0)} to ${shown(last)} in ${values.length} turns`}
    >
      {[0, 0.5, 1].map((share) => (
        <g key={share}>
          <line class="grid" x1={LEFT} x2={WIDTH - 8} y1={y(top * share)} y2={y(top * share)} />
          <text x={LEFT - 8} y={y(top * share) + 4} text-anchor="end">
            {shown(top * share)}
          </text>
        </g>
      ))}
      <text x={LEFT} y={HEIGHT - 4}>
        turn 1
      </text>
      {values.length > 1 && (
        <text x={WIDTH - 8} y={HEIGHT - 4} text-anchor="end">
          {values.length}
        </text>
      )}
      <polygon class="area" points={`${x(0)},${y(0)} ${points.join(' ')} ${x(values.length - 1)},${y(0)}`} />
      <polyline class="trace" points={points.join(' ')} />
      <circle class="last" cx={x(values.length - 1)} cy={y(last)} r="3.5" />
    </svg>
  );
}

/** The next value of 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= value) ?? value;
}
