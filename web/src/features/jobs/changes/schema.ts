import * as z from 'zod/mini'
import { validateDeposit, estimateBaseFields } from '@/features/documents/estimate/schema'
import { validateLineItems } from '@/features/documents/schema'

export const MAX_TITLE_LENGTH = 120

const changeOrderFields = z.object({ title: z.string().check(z.trim()), ...estimateBaseFields })
export type ChangeOrderValues = z.infer<typeof changeOrderFields>

export const changeOrderSchema = changeOrderFields.check(
  z.superRefine((values, context) => {
    for (const { message, path } of [...validateLineItems(values), ...validateDeposit(values)])
      context.addIssue({ code: 'custom', message, path })
  }),
)
