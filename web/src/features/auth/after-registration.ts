// State of the login page's history entry after a registration.
import * as z from 'zod/mini'

const afterRegistrationSchema = z.object({ registeredName: z.string() })

export type AfterRegistration = z.infer<typeof afterRegistrationSchema>

/** First name of the person who has just registered; undefined on any other visit. */
export function readRegisteredFirstName(state: unknown): string | undefined {
  const parsed = afterRegistrationSchema.safeParse(state)
  return parsed.success ? parsed.data.registeredName.trim().split(/\s+/)[0] : undefined
}
