// What the form of a change order accepts. The server looks at everything once more.
import * as z from 'zod/mini'
import { depositFaults, offerFields } from '@/features/paper/offer/schema'
import { paperFaults } from '@/features/paper/schema'

export const LONGEST_TITLE = 120

const changeFields = z.object({ title: z.string().check(z.trim()), ...offerFields })
export type ChangeValues = z.infer<typeof changeFields>

export const changeSchema = changeFields.check(
  z.superRefine((values, context) => {
    for (const { message, path } of [...paperFaults(values), ...depositFaults(values)])
      context.addIssue({ code: 'custom', message, path })
  }),
)
