// Toast of a queued account email.
import { t } from '@/lib/i18n'
import { toast } from '@/ui/toast/toast-store'
import { describeHeldChannels } from './delivery-text'

type ToastText = { title: string; description: string }

/** Toast text: the sent channels, or the reason of the wait from `X-Waiting`. */
export function showMailToast(headers: Headers, toastText: ToastText): void {
  const heldText = describeHeldChannels(headers)
  if (heldText === '') toast.success(toastText.title, toastText.description)
  else toast.show(t('Not sent yet'), { description: heldText })
}
