import * as z from 'zod/mini'
import { parseMoney } from '@/lib/parse-money'
import { validateDeposit, estimateBaseFields } from '@/features/documents/estimate/schema'
import { type FieldFault, validateLineItems } from '@/features/documents/schema'
import { leadsMessages as texts } from './messages'

/** Either one amount, or lines: of the other nothing is asked. */
const estimateFields = z.object({
  isItemized: z.boolean(),
  quotedTotal: z.string().check(z.trim()),
  ...estimateBaseFields,
})
export type EstimateValues = z.infer<typeof estimateFields>

export const estimateSchema = estimateFields.check(
  z.superRefine((values, context) => {
    for (const { message, path } of validateEstimate(values)) context.addIssue({ code: 'custom', message, path })
  }),
)

function validateEstimate(values: EstimateValues): FieldFault[] {
  const { isItemized, quotedTotal } = values
  const hasNoAmount = !isItemized && (parseMoney(quotedTotal) ?? 0) <= 0
  return [
    ...(hasNoAmount ? [{ message: texts.estimates.invalid.description, path: ['quotedTotal'] }] : []),
    ...(isItemized ? validateLineItems(values) : []),
    ...validateDeposit(values),
  ]
}
