// Effect of a new version on the previous one.
import { t } from '@/lib/i18n'
import { Notice } from '@/ui/notice'
import type { EstimateView } from './types'

export function VersionNotice({ before: { number, status } }: { before: EstimateView }) {
  return (
    <Notice tone="info" title={t('A new version of {number}', { number })}>
      <p>
        {status === 'approved'
          ? t('That one stays approved until the customer approves the new one.')
          : t('That one can no longer be approved once the new one is made.')}
      </p>
    </Notice>
  )
}
