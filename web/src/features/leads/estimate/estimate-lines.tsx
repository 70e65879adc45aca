// The lines of an estimate, and what they come to.
import type { UseFormReturn } from 'react-hook-form'
import { asPaperForm, LineItems } from '@/features/paper/line-items'
import type { EstimateValues } from '../schema'
import { EstimateSums } from './estimate-sums'

export function EstimateLines({ form, leadId }: { form: UseFormReturn<EstimateValues>; leadId: string }) {
  return (
    <>
      <LineItems form={asPaperForm(form)} isOffer mayHaveOptions />
      <EstimateSums form={form} leadId={leadId} />
    </>
  )
}
