// State of the login page's history entry after a registration.
import * as z from 'zod/mini'

const afterRegistrationSchema = z.object({ registeredName: z.string(), registeredEmail: z.string() })

export type AfterRegistration = z.infer<typeof afterRegistrationSchema>

/** First name and email of the person who has just registered; undefined on any other visit. */
export function readRegistration(state: unknown): { firstName: string; email: string } | undefined {
  const parsed = afterRegistrationSchema.safeParse(state)
  if (!parsed.success) return undefined
  const { registeredName, registeredEmail } = parsed.data
  return { firstName: registeredName.trim().split(/\s+/)[0] ?? '', email: registeredEmail }
}
