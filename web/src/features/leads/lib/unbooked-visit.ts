import type { Schema } from '@/api/client'

const CALL_OR_TEXT = 'call or text them'

type LeadContact = { phone?: string | null; email?: string | null; noText?: string | null }

/** The ways that are left: none by text where they said STOP. */
function getAdvice({ phone, email, noText }: LeadContact): string {
  if (!phone && email) return 'email them'
  if (!noText) return CALL_OR_TEXT
  return email ? 'call or email them' : 'call them'
}

/** What the office reads about a visit that is not booked. A held one has its end instead, until then. */
const UNBOOKED_VISITS: Record<Schema['HeldVisitState'], string> = {
  held: `They did not confirm in time: ${CALL_OR_TEXT}.`,
  free: `They did not confirm in time. The time is free again: ${CALL_OR_TEXT}.`,
  taken: `They did not confirm in time. The time is taken by now: ${CALL_OR_TEXT}.`,
  past: 'The time has passed. Nothing is booked.',
  with_office:
    "They confirmed by email. Not booked: this day's share for people known only by email is used up. Please answer.",
  denied: 'They wrote: that was not me. Nothing is booked, and the time is free again.',
  limit_reached: "Not held: today's limit of unconfirmed bookings is used up. Please answer.",
  network_limit: 'Not held: too many unconfirmed bookings from one network today. Please answer.',
  unanswered: 'Not held: they did not answer three questions today. Please answer.',
  share_used: "Not held: this day's share for people known only by email is used up. Please answer.",
  no_channel: 'Not held: no text or email can ask them to confirm. Please answer.',
}

/** The same, with the ways to reach this lead. */
export const describeUnbookedVisit = (state: Schema['HeldVisitState'], lead: LeadContact) =>
  UNBOOKED_VISITS[state].replace(CALL_OR_TEXT, getAdvice(lead))

const NOT_HELD = new Set<Schema['HeldVisitState']>([
  'limit_reached',
  'network_limit',
  'unanswered',
  'share_used',
  'no_channel',
])

/** Why nothing was asked; undefined where the time was held. */
export function describeNotHeld(visit: Schema['HeldVisit'] | null | undefined): string | undefined {
  return visit && NOT_HELD.has(visit.state) ? UNBOOKED_VISITS[visit.state] : undefined
}
