// Edits of this customer that wait for a connection, or were refused.
import { ANY_LANGUAGE, LANGUAGES } from '@/domain/customer'
import { t } from '@/lib/i18n'
import type { CustomerEdit } from '@/offline/outbox/entry'
import { QueuedLine } from '@/offline/outbox/queued-line'
import { useEntriesOfKind } from '@/offline/outbox/use-outbox'
import type { Customer } from '../types'

export function PendingEdits({ customer: { id, name } }: { customer: Pick<Customer, 'id' | 'name'> }) {
  const entries = useEntriesOfKind('customer', id)
  if (entries.length === 0) return null
  return (
    <ul aria-label={t('Changes on this device')} className="glass-card grid gap-2 p-3">
      {entries.map((entry) => (
        <li key={entry.id}>
          <p className="wrap-anywhere">{describeEdit(entry.command.change)}</p>
          <QueuedLine entry={entry} subject={t('change of {name}', { name })} />
        </li>
      ))}
    </ul>
  )
}

/** `Phone (312) 555-0142, email removed` */
function describeEdit({ name, phone, email, language, isStaff, hasComplaint }: CustomerEdit): string {
  const parts = [
    name !== undefined && t('name {name}', { name }),
    phone !== undefined && (phone === null ? t('phone removed') : t('phone {phone}', { phone })),
    email !== undefined && (email === null ? t('email removed') : t('email {email}', { email })),
    language !== undefined && t('language {language}', { language: language ? LANGUAGES[language] : ANY_LANGUAGE }),
    typeof isStaff === 'boolean' && (isStaff ? t('staff or relative') : t('not staff or a relative')),
    typeof hasComplaint === 'boolean' && (hasComplaint ? t('there is a problem') : t('no problem now')),
  ].filter((part) => part !== false)
  const sentence = parts.join(', ')
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`
}
