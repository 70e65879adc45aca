// Texts of estimates and of change orders.
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

const NOT_HANDED_OVER = 'It could not be handed over. Please try again.'
const SEND_INSTEAD = 'Your browser did not allow it. Send it again instead.'

export const estimateMessages = {
  of: {
    estimate: {
      sent: 'Estimate sent',
      waits: 'Estimate not sent yet',
      notSent: { title: 'Estimate not sent', description: NOT_HANDED_OVER },
      withdrawn: { title: 'Estimate withdrawn', description: 'Its link says so, and no more reminders go out.' },
      withdrawFailed: { title: 'Not withdrawn', description: 'The estimate was not changed. Please try again.' },
      copied: { title: 'Link copied', description: 'Anyone who has it can read and approve this estimate.' },
      copyFailed: { title: 'Could not copy', description: SEND_INSTEAD },
      withdraw:
        'The customer can still open the link, and reads there that the estimate was withdrawn. It can no longer be approved.',
    },
    change_order: {
      sent: 'Change order sent',
      waits: 'Change order not sent yet',
      notSent: { title: 'Change order not sent', description: NOT_HANDED_OVER },
      withdrawn: { title: 'Change order withdrawn', description: 'Its link says so, and no more reminders go out.' },
      withdrawFailed: { title: 'Not withdrawn', description: 'The change order was not changed. Please try again.' },
      copied: { title: 'Link copied', description: 'Anyone who has it can read and approve this change order.' },
      copyFailed: { title: 'Could not copy', description: SEND_INSTEAD },
      withdraw:
        'The customer can still open the link, and reads there that the change order was withdrawn. It can no longer be approved.',
    },
  } satisfies Record<EstimateKind, EstimateTexts>,
  deposit: 'Please enter a deposit above 0',
  revised: 'New version made',
  reviseFailed: { title: 'No new version', description: 'It could not be made. What you typed is still here.' },
  previewFailed: { title: 'No preview', description: 'The draft could not be made. What you typed is still here.' },
  reason: 'Please say why, in a few words',
  way: 'Choose email, text, or both',
  linkRenewed: { title: 'New link made', description: 'The old one no longer works.' },
  linkFailed: { title: 'No new link', description: 'The old link still works. Please try again.' },
  verifyFailed: {
    title: 'Signature not verified',
    description: 'The papers could not be looked at. Please try again.',
  },
  openFailed: { title: 'PDF not opened', description: 'The file did not arrive. Please try again.' },
} as const
