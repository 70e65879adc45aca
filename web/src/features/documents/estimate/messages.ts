// Texts of estimates and of change orders.
import { t } from '@/lib/i18n'
import type { EstimateKind } from './types'

type ToastText = { title: string; description: string }
type EstimateTexts = {
  sent: string
  waits: string
  notSent: ToastText
  withdrawn: ToastText
  withdrawFailed: ToastText
  copied: ToastText
  copyFailed: ToastText
  withdraw: string
}

const NOT_HANDED_OVER = t('It could not be handed over. Please try again.')
const SEND_INSTEAD = t('Your browser did not allow it. Send it again instead.')

export const estimateMessages = {
  of: {
    estimate: {
      sent: t('Estimate sent'),
      waits: t('Estimate not sent yet'),
      notSent: { title: t('Estimate not sent'), description: NOT_HANDED_OVER },
      withdrawn: { title: t('Estimate withdrawn'), description: t('Its link says so, and no more reminders go out.') },
      withdrawFailed: { title: t('Not withdrawn'), description: t('The estimate was not changed. Please try again.') },
      copied: { title: t('Link copied'), description: t('Anyone who has it can read and approve this estimate.') },
      copyFailed: { title: t('Could not copy'), description: SEND_INSTEAD },
      withdraw: t(
        'The customer can still open the link, and reads there that the estimate was withdrawn. It can no longer be approved.',
      ),
    },
    change_order: {
      sent: t('Change order sent'),
      waits: t('Change order not sent yet'),
      notSent: { title: t('Change order not sent'), description: NOT_HANDED_OVER },
      withdrawn: {
        title: t('Change order withdrawn'),
        description: t('Its link says so, and no more reminders go out.'),
      },
      withdrawFailed: {
        title: t('Not withdrawn'),
        description: t('The change order was not changed. Please try again.'),
      },
      copied: { title: t('Link copied'), description: t('Anyone who has it can read and approve this change order.') },
      copyFailed: { title: t('Could not copy'), description: SEND_INSTEAD },
      withdraw: t(
        'The customer can still open the link, and reads there that the change order was withdrawn. It can no longer be approved.',
      ),
    },
  } satisfies Record<EstimateKind, EstimateTexts>,
  deposit: t('Please enter a deposit above 0'),
  revised: t('New version made'),
  reviseFailed: { title: t('No new version'), description: t('It could not be made. What you typed is still here.') },
  previewFailed: {
    title: t('No preview'),
    description: t('The draft could not be made. What you typed is still here.'),
  },
  reason: t('Please say why, in a few words'),
  way: t('Choose email, text, or both'),
  linkRenewed: { title: t('New link made'), description: t('The old one no longer works.') },
  linkFailed: { title: t('No new link'), description: t('The old link still works. Please try again.') },
  verifyFailed: {
    title: t('Signature not verified'),
    description: t('The papers could not be looked at. Please try again.'),
  },
  openFailed: { title: t('PDF not opened'), description: t('The file did not arrive. Please try again.') },
} as const
