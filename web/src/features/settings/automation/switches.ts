import { t } from '@/lib/i18n'
import type { IconName } from '@/ui/icon'
import type { SendingNumber } from '../organization/sending-number'
import type { SwitchName } from '../types'

export const AUTOMATION_SWITCHES = {
  leadIntake: {
    label: t('Lead Intake'),
    icon: 'inbox',
    does: t('Requests from your forms become leads, and your team is notified.'),
    off: t('Your forms still save requests, but no one is notified.'),
  },
  automatedCommunications: {
    label: t('Automated Communications'),
    icon: 'message',
    does: t('Every new lead and every missed call is answered within seconds, by text and email.'),
    doesWithoutTexts: t(
      'Every new lead is answered within seconds, by email (texts are off until you have a number). Missed calls are not answered.',
    ),
    off: t('No one is answered automatically. Every message waits for you.'),
  },
  jobTracking: {
    label: t('Job Tracking'),
    icon: 'wrench',
    does: t('Customers are reminded before the visit, and of open invoices after it.'),
    doesWhileIdle: t(
      'Sends nothing yet. Starts working with your first booked job: reminders before the visit, and open invoices after it.',
    ),
    off: t('No reminders will go out.'),
  },
  reviewCollection: {
    label: t('Review Collection'),
    icon: 'star',
    does: t('Every customer is asked for a review after the work, in the same words and by the same link.'),
    off: t('No customer will be asked for a review.'),
  },
  kpiReporting: {
    label: t('KPI Reporting'),
    icon: 'document',
    does: t('Your figures come to you by email and text, every day or every week.'),
    doesWithoutTexts: t(
      'Your figures come to you by email (texts are off until you have a number), every day or every week.',
    ),
    off: t('No reports will be sent.'),
  },
} as const satisfies Record<
  SwitchName,
  { label: string; icon: IconName; does: string; doesWithoutTexts?: string; doesWhileIdle?: string; off: string }
>

/** What it does while it is on; without a number it sends no texts, and idle it has nothing to send about. */
export function describeSwitch(name: SwitchName, number: SendingNumber | undefined, isIdle: boolean): string {
  const found: { does: string; doesWithoutTexts?: string; doesWhileIdle?: string } = AUTOMATION_SWITCHES[name]
  if (isIdle && found.doesWhileIdle) return found.doesWhileIdle
  return number?.why ? (found.doesWithoutTexts ?? found.does) : found.does
}

export const SWITCH_NAMES = Object.keys(AUTOMATION_SWITCHES) as SwitchName[]
