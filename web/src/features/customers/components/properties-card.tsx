import { lazy, Suspense, useState } from 'react'
import { isDemoMode } from '@/lib/demo'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Button, IconButton } from '@/ui/button'
import { Card } from '@/ui/card'
import { useSaveProperty } from '../mutations'
import type { Customer, Property } from '../types'
import { PendingPlaces } from './pending-places'

const PropertyDialog = lazy(async () => ({ default: (await import('../actions/property-dialog')).PropertyDialog }))

export function PropertiesCard({ customer }: { customer: Customer }) {
  const isOff = !useOnline() && isDemoMode()
  // What is open: nothing, a new place, or one that is there.
  const [open, setOpen] = useState<'new' | Property>()
  const { properties, otherAddresses } = customer
  return (
    <Card title={t('Places')} icon="pin">
      <div className="grid justify-items-start gap-3">
        {properties.length === 0 && otherAddresses.length === 0 && (
          <p className="text-muted">{t('No address is known.')}</p>
        )}
        {properties.length > 0 && (
          <ul className="grid w-full gap-2">
            {properties.map((place) => (
              <PropertyRow key={place.id} place={place} isOff={isOff} onEdit={() => setOpen(place)} />
            ))}
          </ul>
        )}
        {otherAddresses.length > 0 && <OtherAddresses customer={customer} isOff={isOff} />}
        <PendingPlaces customerId={customer.id} />
        <Button variant="secondary" icon="plus" disabled={isOff} onClick={() => setOpen('new')}>
          {t('Add place')}
        </Button>
      </div>
      {open && (
        <Suspense fallback={null}>
          <PropertyDialog
            customer={customer}
            place={open === 'new' ? undefined : open}
            onClose={() => setOpen(undefined)}
          />
        </Suspense>
      )}
    </Card>
  )
}

const withZip = ({ address, zip }: Pick<Property, 'address' | 'zip'>) => [address, zip].filter(Boolean).join(', ')

function PropertyRow({ place, isOff, onEdit }: { place: Property; isOff: boolean; onEdit: () => void }) {
  const address = withZip(place)
  return (
    <li className="flex items-start justify-between gap-2">
      <div className="min-w-0 pt-2 wrap-anywhere">
        {place.label && <p className="font-semibold">{place.label}</p>}
        <a
          href={`https://maps.google.com/?q=${encodeURIComponent(address)}`}
          target="_blank"
          rel="noopener noreferrer"
          className="text-link inline-block min-h-6"
        >
          {address}
          <span className="sr-only"> {t('(map, new tab)')}</span>
        </a>
        {place.notes && <p className="text-note whitespace-pre-line text-muted">{place.notes}</p>}
      </div>
      <IconButton
        label={t('Change {address}', { address: place.label ?? place.address })}
        icon="pencil"
        disabled={isOff}
        onClick={onEdit}
      />
    </li>
  )
}

/** Named by a request or a job, and not kept as a place. */
function OtherAddresses({ customer, isOff }: { customer: Customer; isOff: boolean }) {
  const save = useSaveProperty(customer, undefined)
  return (
    <ul aria-label={t('Addresses from requests')} className="grid w-full gap-1">
      {customer.otherAddresses.map((other) => (
        <li key={withZip(other)} className="flex flex-wrap items-center justify-between gap-x-3">
          <span className="min-w-0 wrap-anywhere">{withZip(other)}</span>
          <Button
            variant="ghost"
            disabled={isOff}
            pending={save.isPending && save.variables.address === other.address}
            onClick={() => save.mutate({ address: other.address, zip: other.zip ?? null })}
          >
            {t('Keep')} <span className="sr-only">{t('{address} as a place', { address: withZip(other) })}</span>
          </Button>
        </li>
      ))}
    </ul>
  )
}
