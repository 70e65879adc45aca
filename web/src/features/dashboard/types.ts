// What the dashboard reads, by short names.
import type { Schema } from '@/api/client'

export type Kpis = Schema['Kpis']
export type Span = Schema['SpanFigures']
export type Day = Schema['DailyMetrics']
export type Month = Schema['MonthFigures']
export type Receivables = Schema['Receivables']
export type TimeSaved = Schema['TimeSavedFigures']
