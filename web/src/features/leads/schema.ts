// What the dialogs of a lead accept. The server looks at everything once more.
import * as z from 'zod/mini'
import { readMoney } from '@/lib/read-money'
import { depositFaults, offerFields } from '@/features/paper/offer/schema'
import { type Fault, paperFaults } from '@/features/paper/schema'
import { leadsMessages as texts } from './messages'

/** Either one amount, or lines: of the other nothing is asked. */
const estimateFields = z.object({
  isItemized: z.boolean(),
  quotedTotal: z.string().check(z.trim()),
  ...offerFields,
})
export type EstimateValues = z.infer<typeof estimateFields>

export const estimateSchema = estimateFields.check(
  z.superRefine((values, context) => {
    for (const { message, path } of estimateFaults(values)) context.addIssue({ code: 'custom', message, path })
  }),
)

function estimateFaults(values: EstimateValues): Fault[] {
  const { isItemized, quotedTotal } = values
  const hasNoAmount = !isItemized && (readMoney(quotedTotal) ?? 0) <= 0
  return [
    ...(hasNoAmount ? [{ message: texts.estimates.invalid.description, path: ['quotedTotal'] }] : []),
    ...(isItemized ? paperFaults(values) : []),
    ...depositFaults(values),
  ]
}
