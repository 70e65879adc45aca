// Settings made before the owner confirmed the address: reset all, or keep.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schema } from '@/api/client'
import { formatCount } from '@/lib/format/number'
import { useCurrentUser } from '@/features/session/use-session'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Icon } from '@/ui/icon'
import { trustQuery, useResolveInherited } from './queries'

type Item = Schema['InheritedItem']

const NAMES = {
  wording: 'Wordings of texts and emails',
  canned_reply: 'Saved replies',
  price: 'Prices',
  webhook: 'Webhooks',
  setting: 'Groups of settings, with call forwarding',
  review_link: 'Review link',
  booking_link: 'Booking link',
  business_phone: 'Business phone',
  logo: 'Logo',
  licence_line: 'License line on estimates and invoices',
  postal_address: 'Mailing address',
  time_zone: 'Time zone',
  switch: 'Switched off',
  crew: 'Crews',
  retention: 'How long data is kept',
  review_key: 'Key for reviews',
  crew_calendar: 'Crew calendars',
  team_member: 'Other sign-ins, switched off already',
} as const satisfies Record<Item['what'], string>

export function InheritedNotice() {
  const { orgId, role } = useCurrentUser()
  const { data } = useQuery(trustQuery(orgId))
  const [isOpen, setOpen] = useState(false)
  const decide = useResolveInherited()
  const inherited = data?.inherited
  if (role !== 'owner' || !inherited) return null
  const close = () => setOpen(false)
  return (
    <aside
      aria-label="Set before you confirmed your address"
      className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-warning/40 bg-warning/8 px-3 py-1 text-note sm:px-4 lg:px-6"
    >
      <Icon name="alert" className="size-4 shrink-0 text-warning" />
      <p className="min-w-0 flex-1 basis-48">
        <b className="text-warning">Check what was set before you confirmed your address.</b> If it was not you, reset
        it all.
      </p>
      <Button variant="ghost" onClick={() => setOpen(true)}>
        Look
      </Button>
      <Dialog
        open={isOpen}
        onClose={close}
        title="Set before you confirmed your address"
        actions={
          <>
            <Button
              variant="ghost"
              pending={decide.isPending && decide.variables === 'keep'}
              onClick={() => decide.mutate('keep', { onSuccess: close })}
            >
              It was me, keep it
            </Button>
            <Button
              variant="danger"
              pending={decide.isPending && decide.variables === 'reset'}
              onClick={() => decide.mutate('reset', { onSuccess: close })}
            >
              Reset it all
            </Button>
          </>
        }
      >
        <ul className="grid gap-3">
          {inherited.items.map(({ what, count, examples }) => (
            <li key={what}>
              <b>
                {NAMES[what]}: {formatCount(count)}
              </b>
              <span className="block text-note text-muted wrap-anywhere">
                <BreakableAddress>{examples.join(', ')}</BreakableAddress>
              </span>
            </li>
          ))}
        </ul>
        <p className="mt-4">A reset puts our defaults in place of all of it. Customers and leads stay.</p>
      </Dialog>
    </aside>
  )
}
