// Places of this customer that wait for a connection, or were refused.
import { t } from '@/lib/i18n'
import { QueuedLine } from '@/offline/outbox/queued-line'
import { type EntryOfKind, useEntriesOfKind } from '@/offline/outbox/use-outbox'

export function PendingPlaces({ customerId }: { customerId: string }) {
  const entries = useEntriesOfKind('property', customerId)
  if (entries.length === 0) return null
  return (
    <ul aria-label={t('Places on this device')} className="grid w-full gap-3">
      {entries.map((entry) => (
        <PendingPlace key={entry.id} entry={entry} />
      ))}
    </ul>
  )
}

function PendingPlace({ entry }: { entry: EntryOfKind<'property'> }) {
  const { address, propertyId, change } = entry.command
  const written = [change.label, propertyId === undefined ? null : change.address, change.zip].filter(Boolean)
  return (
    <li className="border-l-2 border-warning pl-3">
      <p className="font-semibold wrap-anywhere">
        {propertyId === undefined ? t('New place: {address}', { address }) : t('Change of {address}', { address })}
      </p>
      {written.length > 0 && <p className="wrap-anywhere">{written.join(', ')}</p>}
      {change.notes && <p className="text-note wrap-anywhere whitespace-pre-line">{change.notes}</p>}
      {change.notes === null && propertyId !== undefined && <p className="text-note">{t('Notes removed')}</p>}
      <QueuedLine entry={entry} subject={address} />
    </li>
  )
}
