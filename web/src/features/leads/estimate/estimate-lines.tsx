import type { UseFormReturn } from 'react-hook-form'
import { asLineItemsForm, LineItems } from '@/features/documents/line-items'
import type { EstimateValues } from '../schema'
import { EstimateTotals } from './estimate-totals'

export function EstimateLines({ form, leadId }: { form: UseFormReturn<EstimateValues>; leadId: string }) {
  return (
    <>
      <LineItems form={asLineItemsForm(form)} isForEstimate mayHaveOptions />
      <EstimateTotals form={form} leadId={leadId} />
    </>
  )
}
