import type { Schema } from '@/api/client'
import { t } from '@/lib/i18n'

type LeadContact = { phone?: string | null; email?: string | null; noText?: string | null }

/** The ways that are left: none by text where they said STOP. */
function getAdvice({ phone, email, noText }: LeadContact): string {
  if (!phone && email) return t('email them')
  if (!noText) return t('call or text them')
  return email ? t('call or email them') : t('call them')
}

/** What the office reads about a visit that is not booked. A held one has its end instead, until then. */
const UNBOOKED_VISITS: Record<Schema['HeldVisitState'], (advice: string) => string> = {
  held: (advice) => t('They did not confirm in time: {advice}.', { advice }),
  free: (advice) => t('They did not confirm in time. The time is free again: {advice}.', { advice }),
  taken: (advice) => t('They did not confirm in time. The time is taken by now: {advice}.', { advice }),
  past: () => t('The time has passed. Nothing is booked.'),
  with_office: () =>
    t(
      "They confirmed by email. Not booked: this day's share for people known only by email is used up. Please answer.",
    ),
  denied: () => t('They wrote: that was not me. Nothing is booked, and the time is free again.'),
  limit_reached: () => t("Not held: today's limit of unconfirmed bookings is used up. Please answer."),
  network_limit: () => t('Not held: too many unconfirmed bookings from one network today. Please answer.'),
  unanswered: () => t('Not held: they did not answer three questions today. Please answer.'),
  share_used: () => t("Not held: this day's share for people known only by email is used up. Please answer."),
  no_channel: () => t('Not held: no text or email can ask them to confirm. Please answer.'),
}

/** With the ways to reach this lead. */
export const describeUnbookedVisit = (state: Schema['HeldVisitState'], lead: LeadContact) =>
  UNBOOKED_VISITS[state](getAdvice(lead))

const NOT_HELD = new Set<Schema['HeldVisitState']>([
  'limit_reached',
  'network_limit',
  'unanswered',
  'share_used',
  'no_channel',
])

/** Why nothing was asked; undefined where the time was held. */
export function describeNotHeld(visit: Schema['HeldVisit'] | null | undefined): string | undefined {
  return visit && NOT_HELD.has(visit.state) ? UNBOOKED_VISITS[visit.state]('') : undefined
}
