// Records whose form typed the phone that this customer called or texted from.
import { Link } from 'react-router-dom'
import { formatDate } from '@/lib/format/date'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Notice } from '@/ui/notice'
import { contactMessages as texts } from './messages'
import type { CustomerDuplicate } from './types'

type RequestDuplicatesProps = { customerId: string; duplicates: readonly CustomerDuplicate[]; timeZone: string }

/** The merge itself is on the customer's page, where the two records are compared. */
export function RequestDuplicatesNotice({ customerId, duplicates, timeZone }: RequestDuplicatesProps) {
  const found = duplicates.flatMap(({ requestedAt, ...rest }) => (requestedAt ? [{ ...rest, requestedAt }] : []))
  if (found.length === 0) return null
  return (
    <Notice tone="info" title={t('There may be another record of this person')}>
      <ul className="mt-2 grid gap-2">
        {found.map(({ id, name, requestedAt, why }) => (
          <li key={id} className="wrap-anywhere">
            {texts.requestDuplicate(name, formatDate(requestedAt, timeZone))}
            <span className="block text-caption text-muted">{why}</span>
          </li>
        ))}
      </ul>
      <Link to={paths.customer(customerId)} className="text-link mt-2 inline-block min-h-6">
        {t('Compare the records')}
      </Link>
    </Notice>
  )
}
