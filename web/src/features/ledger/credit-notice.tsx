// Unallocated card payment, with a one-tap refund.
import type { Schema } from '@/api/client'
import { useOnline } from '@/lib/hooks/use-online'
import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { useRefundCredit } from './mutations'

export function CreditNotice({ giveBack }: { giveBack: Schema['CreditRefund'] }) {
  const refund = useRefundCredit()
  const isOnline = useOnline()
  const amount = formatCents(giveBack.amount)
  return (
    <Notice tone="warning" title={t('Credit of {amount}', { amount })}>
      <p>{t('The customer paid more by card than is due. Give it back, or keep it for the next invoice.')}</p>
      <Button
        variant="secondary"
        icon="arrow-left"
        className="mt-2"
        pending={refund.isPending}
        disabled={!isOnline}
        onClick={() => refund.mutate(giveBack)}
      >
        {t('Give back {amount}', { amount })}
      </Button>
    </Notice>
  )
}
