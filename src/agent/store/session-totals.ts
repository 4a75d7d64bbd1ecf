import { noUsage } from '../usage.js';
import type { RunTotals, SessionTotals } from './session-record.js';

export const noRuns: RunTotals = { prompts: 0, models: [], modelMs: 0, totalMs: 0 };

export const noTotals: SessionTotals = { turns: 0, usage: noUsage, costUsd: 0 };
