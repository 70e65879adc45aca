import type { IconName } from '@/ui/icon'
import type { SendingNumber } from '../organization/sending-number'
import type { SwitchName } from '../types'

export const AUTOMATION_SWITCHES = {
  leadIntake: {
    label: 'Lead Intake',
    icon: 'inbox',
    does: 'Requests from your forms become leads, and your team is notified.',
    off: 'Your forms still save requests, but no one is notified.',
  },
  automatedCommunications: {
    label: 'Automated Communications',
    icon: 'message',
    does: 'Every new lead and every missed call is answered within seconds, by text and email.',
    doesWithoutTexts:
      'Every new lead is answered within seconds, by email (texts are off until you have a number). Missed calls are not answered.',
    off: 'No one is answered automatically. Every message waits for you.',
  },
  jobTracking: {
    label: 'Job Tracking',
    icon: 'wrench',
    does: 'Customers are reminded before the visit, and of open invoices after it.',
    doesWhileIdle:
      'Sends nothing yet. Starts working with your first booked job: reminders before the visit, and open invoices after it.',
    off: 'No reminders will go out.',
  },
  reviewCollection: {
    label: 'Review Collection',
    icon: 'star',
    does: 'Every customer is asked for a review after the work, in the same words and by the same link.',
    off: 'No customer will be asked for a review.',
  },
  kpiReporting: {
    label: 'KPI Reporting',
    icon: 'document',
    does: 'Your figures come to you by email and text, every day or every week.',
    doesWithoutTexts:
      'Your figures come to you by email (texts are off until you have a number), every day or every week.',
    off: 'No reports will be sent.',
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
