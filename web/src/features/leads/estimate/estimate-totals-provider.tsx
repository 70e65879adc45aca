import type { ReactNode } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { EstimateValues } from '../schema'
import { EstimateTotalsContext, useEstimateTotals } from './use-estimate-totals'

type EstimateTotalsProviderProps = { form: UseFormReturn<EstimateValues>; leadId: string; children: ReactNode }

/** Each keystroke renders what shows totals, not the fields. */
export function EstimateTotalsProvider({ form, leadId, children }: EstimateTotalsProviderProps) {
  return <EstimateTotalsContext value={useEstimateTotals(form, leadId)}>{children}</EstimateTotalsContext>
}
