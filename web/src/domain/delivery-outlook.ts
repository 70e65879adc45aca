// Delivery state of a queued message. Only sent messages are called sent.
import { capitalize } from '@/lib/format/identifier'

export type DeliveryOutlook = { state: string; text: string } | null | undefined

/** True without an outlook: the message was sent. */
export const isSendingNow = (outlook: DeliveryOutlook): boolean => !outlook || outlook.state === 'leaves'

/** `Held until 8:00 AM: it is night there.` Empty when sent. */
export const describeHeldDelivery = (outlook: DeliveryOutlook): string =>
  outlook && !isSendingNow(outlook) ? `${capitalize(outlook.text)}.` : ''
