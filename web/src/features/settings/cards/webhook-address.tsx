// The address for Stripe's webhooks, where the keys are pasted.
import { t } from '@/lib/i18n'
import { CopyField } from '@/ui/copy-field'
import { settingsMessages } from '../messages'
import { cardPaymentMessages } from './queries'

export function WebhookAddress({ url }: { url: string }) {
  return (
    <>
      <p className="text-note text-muted">
        {t(
          'In Stripe, under Developers, Webhooks, add this address with the events checkout.session.*, refund.* and charge.dispute.*. Without it a payment shows right away only if the customer comes back from the pay page. Otherwise we look a few times in the first day, so it can show hours later.',
        )}
      </p>
      <CopyField label="Stripe" value={url} copied={cardPaymentMessages.copied} failed={settingsMessages.copyFailed} />
    </>
  )
}
