// Delivery state of a queued message. Only sent messages are called sent.
import { capitalize } from '@/lib/format/identifier'
import { t } from '@/lib/i18n'

export type DeliveryOutlook = { state: string; text: string } | null | undefined

/** True without an outlook: the message was sent. */
export const isSendingNow = (outlook: DeliveryOutlook): boolean => !outlook || outlook.state === 'leaves'

/** `The text is held until 8:00 AM: it is night there.` or `The text was not sent: they said STOP.` */
export const describeTextDelivery = ({ state, text }: NonNullable<DeliveryOutlook>): string =>
  state === 'not_sent' ? t('The text was not sent: {text}.', { text }) : t('The text is {text}.', { text })

/** `Held until 8:00 AM: it is night there.` Empty when sent. */
export const describeHeldDelivery = (outlook: DeliveryOutlook): string =>
  outlook && !isSendingNow(outlook) ? `${capitalize(outlook.text)}.` : ''
