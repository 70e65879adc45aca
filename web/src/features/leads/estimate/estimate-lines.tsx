import type { UseFormReturn } from 'react-hook-form'
import { asLineItemsForm } from '@/features/documents/line-items'
import type { EstimateValues } from '../schema'
import { OptionColumns } from './columns/option-columns'
import { EstimateTotalsProvider } from './estimate-totals-provider'

export function EstimateLines({ form, leadId }: { form: UseFormReturn<EstimateValues>; leadId: string }) {
  return (
    <EstimateTotalsProvider form={form} leadId={leadId}>
      <OptionColumns form={asLineItemsForm(form)} />
    </EstimateTotalsProvider>
  )
}
