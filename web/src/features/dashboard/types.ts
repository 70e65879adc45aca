import type { Schema } from '@/api/client'

export type Kpis = Schema['Kpis']
export type SpanFigures = Schema['SpanFigures']
export type DailyMetrics = Schema['DailyMetrics']
export type MonthFigures = Schema['MonthFigures']
export type Receivables = Schema['Receivables']
export type TimeSaved = Schema['TimeSavedFigures']
